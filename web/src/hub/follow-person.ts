import { currentSignIn, onSignInChange } from '../api/sign-in.ts';
import { isClinicStaff, personOf } from '../api/sign-in-state.ts';
import type { hub } from './hub.ts';

/**
 * Ties the hub connection to the signed-in person: it stops when they sign out, and starts when a user of a company signs
 * in (a patient's starts with the room). Returns a function that stops.
 */
export function followPerson(live: Pick<typeof hub, 'start' | 'stop'>): () => void {
  let person: string | undefined;
  const follow = () => {
    const signIn = currentSignIn();
    const next = personOf(signIn);
    if (next === person) return;
    if (person !== undefined) void live.stop();
    person = next;
    if (isClinicStaff(signIn)) live.start();
  };
  follow();
  return onSignInChange(follow);
}
