import { notifyAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockInvitable, queueInvitation } from './invite.ts';

/** CALL-5: sends the invitation (LIST-18). */
export const notifyAppointment = forStaff(call, async ({ context, caller, params, tx, now }) => {
  const appointment = await lockInvitable(tx, params.appointmentId, now);
  if ((await queueInvitation(tx, context, caller, appointment, { now })) === 'noContact')
    throw new Refusal('no-contact');
  return undefined;
});
