import { currentSignIn, onSignInChange } from '../api/sign-in.ts';
import { isClinicStaff, personOf } from '../api/sign-in-state.ts';
import type { hub } from './hub.ts';

/**
 * Keeps the live connection that of the person in front of the page: it ends when they go, and for staff of a company
 * it starts when they come (a patient's starts with the room). Returns the way to stop.
 */
export function followPerson(live: Pick<typeof hub, 'start' | 'stop'>): () => void {
  let person: string | undefined;
  const follow = () => {
    const session = currentSignIn();
    const next = personOf(session);
    if (next === person) return;
    if (person !== undefined) void live.stop();
    person = next;
    if (isClinicStaff(session)) live.start();
  };
  follow();
  return onSignInChange(follow);
}
