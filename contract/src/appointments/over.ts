import { codeHoursAfterVisit } from '../limits.ts';
import type { Status } from './status.ts';

/** What the rules below depend on; `endDate` is an ISO instant. */
interface Standing {
  readonly status: Status;
  readonly endDate: string;
}

/** Both have met, or are together now: such an appointment is not moved, and does not start again. */
export function hasBegun(status: Status): boolean {
  return status === 'completed' || status === 'inProgress';
}

/**
 * True when nothing can follow: cancelled, completed, or so long past that the patient's link no longer works.
 * A visit that is running is not over, however late it is. `now` is an ISO instant.
 */
export function isOver({ status, endDate }: Standing, now: string): boolean {
  if (status === 'cancelled' || status === 'completed') return true;
  if (status === 'inProgress' || status === 'waiting') return false;
  return Date.parse(now) >= Date.parse(endDate) + codeHoursAfterVisit * 3_600_000;
}

/** LIST-18: an invitation is for an appointment that is not over. */
export const mayInvite = (visit: Standing, now: string): boolean => !isOver(visit, now);

/** STATE-4: Invite and Connect moves the start to now: only before both have met. */
export const mayConnect = (visit: Standing, now: string): boolean => mayInvite(visit, now) && !hasBegun(visit.status);
