import { instantToWall } from '@roomside/contract/time.ts';
import { listTimeOff as call } from '@roomside/contract/time-off/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { daysWithin, readUpcoming, withinTimeOff } from '../schedule/outside-appointments.ts';

export const listTimeOff = forStaff(call, async ({ caller, query, tx, now }) => {
  const { companyId, timeZone } = caller;
  const today = instantToWall(now, timeZone).day;
  const past = query.past ?? false;
  const rows = await tx
    .selectFrom('time_off as t')
    .leftJoin('users as u', 'u.user_id', 't.user_id')
    .select([
      't.time_off_id',
      't.version',
      't.user_id',
      't.first_day',
      't.last_day',
      't.reason',
      'u.first_name',
      'u.last_name',
    ])
    .where('t.company_id', '=', companyId)
    .where('t.archived_at', 'is', null)
    .where('t.last_day', past ? '<' : '>=', today)
    .orderBy('t.first_day', past ? 'desc' : 'asc')
    .orderBy('t.time_off_id')
    .limit(200)
    .execute();
  const days = rows.map((row) => ({ firstDay: row.first_day, lastDay: row.last_day }));
  const upcoming =
    past || rows.length === 0 ? [] : await readUpcoming(tx, companyId, null, now, daysWithin(days, timeZone));
  return {
    data: rows.map((row) => ({
      timeOffId: row.time_off_id,
      version: row.version,
      userId: row.user_id,
      provider: row.user_id === null ? null : { firstName: row.first_name ?? '', lastName: row.last_name ?? '' },
      firstDay: row.first_day,
      lastDay: row.last_day,
      reason: row.reason,
      appointments: withinTimeOff(
        upcoming,
        { userId: row.user_id, firstDay: row.first_day, lastDay: row.last_day },
        timeZone,
      ).length,
    })),
  };
});
