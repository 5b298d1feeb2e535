import { connectAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { doubleClickMs } from '../notifications/queue-notification.ts';
import { changeAppointment } from './change-appointment.ts';
import { queueInvitation } from './invite.ts';
import { type LockedAppointment, lockAppointment } from './lock-appointment.ts';

/**
 * STATE-4: sets the start to now and keeps the planned one; the appointment no longer conflicts with others. It starts also
 * when the patient has no email or phone for the invitation: they may have the link already.
 */
export const connectAppointment = forStaff(call, async ({ params, ...scope }) => {
  const { tx, context, caller, now } = scope;
  const before = await lockAppointment(tx, { id: params.appointmentId }, now);
  await changeAppointment(scope, before, { kind: 'connect' });
  const differs = !hasJustStarted(before, now);
  const queued = await queueInvitation(tx, context, caller, before, { now, differs });
  return { appointmentUid: before.appointmentUid, invited: queued === 'queued' };
});

/** Whether an invitation of a moment ago said that it starts now: this is the second click of a double click. */
function hasJustStarted({ state: { startsAt } }: LockedAppointment, now: string): boolean {
  const ms = Date.parse(now) - Date.parse(startsAt);
  return ms >= 0 && ms < doubleClickMs;
}
