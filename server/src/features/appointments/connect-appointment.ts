import { connectAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { changeAppointment } from './change-appointment.ts';
import { queueInvitation } from './invite.ts';
import { lockAppointment } from './lock-appointment.ts';

/**
 * STATE-4: sets the start to now and keeps the planned one; the appointment no longer conflicts with others. It starts also
 * when the patient has no email or phone for the invitation: they may have the link already.
 */
export const connectAppointment = forStaff(call, async ({ params, ...scope }) => {
  const { tx, context, caller, now } = scope;
  const before = await lockAppointment(tx, { id: params.appointmentId }, now);
  await changeAppointment(scope, before, { kind: 'connect' });
  const invited = (await queueInvitation(tx, context, caller, before, now)) > 0;
  return { appointmentUid: before.appointmentUid, invited };
});
