import type { Status } from '../appointments/status.ts';
import { opensAt } from '../room/opens-at.ts';

interface Candidate {
  readonly startDate: string;
  readonly endDate: string;
  readonly status: Status;
  /** True when staff have ended it and its room is closed. */
  readonly closed: boolean;
  /** When the patient last left its room; now while the patient is in it, null before the first time. */
  readonly leftAt: string | null;
}

/** So long the room that a patient has just left comes before one that is open too; minutes. */
const justLeftMinutes = 10;

/** How long after the planned end a patient may return to a room that both sides have left; minutes. */
const returnMinutes = 60;

/**
 * ROUTE-2, ROOM-10: returns the appointment to show to a patient: the one whose room the patient has just left, else one whose room is
 * open now, else one left in the last hour, else the earliest upcoming one; undefined when there is none. `now` is an ISO instant.
 */
export function nextAppointment<V extends Candidate>(appointments: readonly V[], now: string): V | undefined {
  const at = Date.parse(now);
  const live = appointments.filter(({ closed, status }) => !closed && status !== 'cancelled');
  const sorted = live.toSorted((a, b) => Date.parse(a.startDate) - Date.parse(b.startDate));
  const isAhead = ({ status }: V) => status === 'scheduled' || status === 'waiting' || status === 'inProgress';
  const isOpen = ({ startDate }: V) => at >= opensAt(startDate);
  const isJustLeft = ({ leftAt }: V) => leftAt !== null && at < Date.parse(leftAt) + justLeftMinutes * 60_000;
  const mayReturn = ({ endDate }: V) => at < Date.parse(endDate) + returnMinutes * 60_000;
  const lastLeft = live.filter(isJustLeft).toSorted((a, b) => Date.parse(b.leftAt ?? '') - Date.parse(a.leftAt ?? ''));
  return (
    lastLeft[0] ??
    sorted.find((appointment) => isAhead(appointment) && isOpen(appointment)) ??
    sorted.find((appointment) => isOpen(appointment) && mayReturn(appointment)) ??
    sorted.find(isAhead)
  );
}
