import type { Status } from '../appointments/status.ts';
import { earlyMinutes } from '../limits.ts';

interface Candidate {
  readonly startDate: string;
  readonly endDate: string;
  readonly status: Status;
  /** True when staff have ended it and its room is closed. */
  readonly closed: boolean;
}

/** How long after the planned end a patient may return to a room that both sides have left; minutes. */
const returnMinutes = 60;

/**
 * ROUTE-2: returns the appointment to show to a patient: one whose room is open now, else one just left, else the earliest upcoming
 * one; undefined when there is none. `now` is an ISO instant.
 */
export function nextVisit<V extends Candidate>(visits: readonly V[], now: string): V | undefined {
  const at = Date.parse(now);
  const live = visits.filter(({ closed, status }) => !closed && status !== 'cancelled');
  const sorted = live.toSorted((a, b) => Date.parse(a.startDate) - Date.parse(b.startDate));
  const isAhead = ({ status }: V) => status === 'scheduled' || status === 'waiting' || status === 'inProgress';
  const isOpen = ({ startDate }: V) => at >= Date.parse(startDate) - earlyMinutes * 60_000;
  const mayReturn = ({ endDate }: V) => at < Date.parse(endDate) + returnMinutes * 60_000;
  return (
    sorted.find((visit) => isAhead(visit) && isOpen(visit)) ??
    sorted.find((visit) => isOpen(visit) && mayReturn(visit)) ??
    sorted.find(isAhead)
  );
}
