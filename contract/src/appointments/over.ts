import { codeHoursAfterAppointment } from '../limits.ts';
import type { Status } from './status.ts';

/** The part of an appointment that the functions below use; `endDate` is an ISO instant. */
interface StatusAndEnd {
  readonly status: Status;
  readonly endDate: string;
}

/** Whether both sides have met or are together now. Such an appointment cannot be moved or started again. */
export function hasBegun(status: Status): boolean {
  return status === 'completed' || status === 'inProgress';
}

/**
 * Whether the appointment is over: cancelled, completed, or so long past that the patient's link no longer works.
 * An appointment whose patient is in the room is not over. `now` is an ISO instant.
 */
export function isOver({ status, endDate }: StatusAndEnd, now: string): boolean {
  if (status === 'cancelled' || status === 'completed') return true;
  if (status === 'inProgress' || status === 'waiting') return false;
  return Date.parse(now) >= Date.parse(endDate) + codeHoursAfterAppointment * 3_600_000;
}

/** LIST-18: whether an invitation may be sent: the appointment is not over. */
export const mayInvite = (appointment: StatusAndEnd, now: string): boolean => !isOver(appointment, now);

/** STATE-4: whether Invite and Connect may move the start to now: only before both sides have met. */
export const mayConnect = (appointment: StatusAndEnd, now: string): boolean =>
  mayInvite(appointment, now) && !hasBegun(appointment.status);
