import { connectAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { requireNotBegun } from './appointment-rows.ts';
import { lockInvitable, queueInvitation } from './invite.ts';

/**
 * STATE-4: the start becomes now, the planned one is kept, and the visit no longer conflicts with anything. Without an
 * address to invite, the visit starts all the same: the patient may have the link already.
 */
export const connectAppointment = forStaff(call, async ({ context, caller, params, tx, now }) => {
  const visit = await lockInvitable(tx, params.appointmentId, now);
  requireNotBegun(visit, now);
  const minutes = Date.parse(visit.ends_at) - Date.parse(visit.starts_at);
  await tx
    .updateTable('appointments')
    .set({
      starts_at: now,
      ends_at: new Date(Date.parse(now) + minutes).toISOString(),
      planned_start: visit.planned_start ?? visit.starts_at,
      immediate: true,
      calendar_sequence: sql`calendar_sequence + 1`,
      version: sql`version + 1`,
    })
    .where('appointment_id', '=', visit.appointment_id)
    .execute();
  const invited = (await queueInvitation(tx, context, caller, visit, now)) > 0;
  return { appointmentUid: visit.appointment_uid, invited };
});
