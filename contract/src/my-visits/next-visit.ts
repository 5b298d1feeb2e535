import type { Status } from '../appointments/status.ts';
import { earlyMinutes } from '../limits.ts';

interface Candidate {
  readonly startDate: string;
  readonly endDate: string;
  readonly status: Status;
  /** True when staff ended it for good: its room stays closed. */
  readonly closed: boolean;
}

/** A visit that both have left can be gone back to for this long after its planned end; minutes. */
const returnMinutes = 60;

/**
 * ROUTE-2: the visit that a patient is here for. First one whose room is open now, then one just left, then
 * the earliest still to come; undefined when none is left. `now` is an ISO instant.
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
