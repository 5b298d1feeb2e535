import { listTimeOffAppointments as call } from '@roomside/contract/time-off/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { daysWithin, readUpcoming, withinTimeOff } from '../schedule/outside-appointments.ts';

export const listTimeOffAppointments = forStaff(call, async ({ caller, params, tx, now, touched }) => {
  const row = await tx
    .selectFrom('time_off')
    .select(['user_id', 'first_day', 'last_day'])
    .where('company_id', '=', caller.companyId)
    .where('time_off_id', '=', params.timeOffId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  const off = { userId: row.user_id, firstDay: row.first_day, lastDay: row.last_day };
  const providers = off.userId === null ? null : [off.userId];
  const upcoming = await readUpcoming(tx, caller.companyId, providers, now, daysWithin([off], caller.timeZone));
  const data = withinTimeOff(upcoming, off, caller.timeZone);
  touched(
    'appointments',
    data.map(({ appointmentId }) => appointmentId),
  );
  return { data };
});
