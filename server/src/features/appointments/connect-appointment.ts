import { connectAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { changeAppointment } from './change-appointment.ts';
import { queueInvitation } from './invite.ts';
import { lockAppointment } from './lock-appointment.ts';

/**
 * STATE-4: the start becomes now, the planned one is kept, and the appointment no longer conflicts with anything. Without
 * an address to invite it starts all the same: the patient may have the link already.
 */
export const connectAppointment = forStaff(call, async ({ params, ...scope }) => {
  const { tx, context, caller, now } = scope;
  const before = await lockAppointment(tx, { id: params.appointmentId }, now);
  await changeAppointment(scope, before, { kind: 'connect' });
  const invited = (await queueInvitation(tx, context, caller, before, now)) > 0;
  return { appointmentUid: before.appointmentUid, invited };
});
