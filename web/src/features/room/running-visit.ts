import type { Teleappointment } from '@roomside/contract/room/calls.ts';
import { currentSignIn, onSignInChange } from '../../api/sign-in.ts';
import type { Clock } from './core/clock.ts';
import { createStore, type Store } from './core/store.ts';
import type { Room } from './create-room.ts';

/** A visit that goes on while staff look at another page of this tab. */
export interface RunningVisit {
  visit: Teleappointment;
  clock: Clock;
  room: Room;
  /** Called when the person leaves it from another page. */
  onLeft: () => void;
}

const store = createStore<RunningVisit | undefined>(undefined);

/** The running visit, for the pages that show it in a corner. Undefined on the page of its room. */
export const runningVisit: Pick<Store<RunningVisit | undefined>, 'get' | 'subscribe'> = store;

/** Keeps a visit that its page leaves. Returns false when the person is not in the room, or is no longer signed in as staff. */
export function keepRunning(running: RunningVisit): boolean {
  if (!isStaff() || !running.room.session.isOpen) return false;
  store.set(running);
  return true;
}

/** Returns the room of a running visit to its page. A visit of another room is left: a person is in one room at a time. */
export function takeRunning(uid: string): Room | undefined {
  const running = store.get();
  store.set(undefined);
  if (running?.visit.appointment.appointmentUid === uid) return running.room;
  void leave(running);
  return undefined;
}

/** Leaves the running visit, if there is one. Resolves with the number of unsent messages. */
export async function leaveRunning(): Promise<number> {
  const running = store.get();
  store.set(undefined);
  return leave(running);
}

async function leave(running: RunningVisit | undefined): Promise<number> {
  running?.onLeft();
  return (await running?.room.leave()) ?? 0;
}

function isStaff(): boolean {
  const { status, kind } = currentSignIn();
  return status === 'in' && kind === 'staff';
}

// Signing out ends the call on every page.
onSignInChange(() => {
  if (store.get() && !isStaff()) void leaveRunning();
});
