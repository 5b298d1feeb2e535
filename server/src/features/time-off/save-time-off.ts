import { providers } from '@roomside/contract/permissions.ts';
import { saveTimeOff as call } from '@roomside/contract/time-off/calls.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { checkVersion, notFound } from '../../platform/refusal.ts';
import { lockUsers } from '../appointments/provider-time.ts';
import { daysWithin, readUpcoming, withinTimeOff } from '../schedule/outside-appointments.ts';
import { lockTimeOff, requireMayWrite } from './time-off-rows.ts';

/** Creates or saves time off. Returns the appointments within it, which are not changed. */
export const saveTimeOff = forStaff(call, async ({ context, caller, body, tx, now, touched, afterCommit }) => {
  const { companyId } = caller;
  const { userId, firstDay, lastDay } = body;
  refuseCardNumbers({ reason: body.reason });
  const stored = body.timeOffId === 0 ? null : await lockTimeOff(tx, companyId, body.timeOffId);
  if (userId !== null) {
    const provider = await tx
      .selectFrom('users')
      .select('user_id')
      .where('company_id', '=', companyId)
      .where('user_id', '=', userId)
      .where('role_id', 'in', providers)
      .executeTakeFirst();
    if (!provider) throw notFound();
  }
  if (!context.skipChecks) {
    if (stored) requireMayWrite(caller, stored.user_id);
    requireMayWrite(caller, userId);
  }
  if (stored) checkVersion(stored, body.version);
  // Bookings of these providers wait, or are among the appointments below.
  await lockUsers(tx, companyId, userId === null ? null : [userId]);
  const values = { user_id: userId, first_day: firstDay, last_day: lastDay, reason: body.reason.trim() };
  const saved = stored
    ? await tx
        .updateTable('time_off')
        .set({ ...values, version: stored.version + 1 })
        .where('time_off_id', '=', body.timeOffId)
        .returning(['time_off_id', 'version'])
        .executeTakeFirstOrThrow()
    : await tx
        .insertInto('time_off')
        .values({ ...values, company_id: companyId, created_by: caller.userId, created_at: now })
        .returning(['time_off_id', 'version'])
        .executeTakeFirstOrThrow();
  const span = daysWithin([{ firstDay, lastDay }], caller.timeZone);
  const upcoming = await readUpcoming(tx, companyId, userId === null ? null : [userId], now, span);
  const appointments = withinTimeOff(upcoming, { userId, firstDay, lastDay }, caller.timeZone);
  touched('timeOffId', saved.time_off_id);
  touched(
    'appointments',
    appointments.map(({ appointmentId }) => appointmentId),
  );
  afterCommit(() => context.push.schedule(companyId));
  return { timeOffId: saved.time_off_id, version: saved.version, appointments };
});
