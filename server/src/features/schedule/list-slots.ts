import { listSlots as call } from '@roomside/contract/schedule/calls.ts';
import { daySlots } from '@roomside/contract/schedule/slots.ts';
import { windowsOn } from '@roomside/contract/schedule/windows.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { readBusy, readProviderTimes } from './availability.ts';

/** The slots of a day for the slot picker (CONST-11). Held times are free for staff, who override holds. */
export const listSlots = forStaff(call, async ({ caller, query, tx, now }) => {
  const { companyId, timeZone } = caller;
  const { doctorId, date } = query;
  const days = { from: date, to: date };
  const times = await readProviderTimes(tx, companyId, [doctorId], days);
  const [provider] = times.providers;
  if (!provider) throw notFound();
  const ignore = { allHolds: true as const, ...(query.appointmentId && { appointmentId: query.appointmentId }) };
  const busy = await readBusy(tx, times, days, ignore, now);
  const { usesRules } = provider;
  const { company, rules, timeOff } = times;
  const slots = daySlots({
    date,
    timeZone,
    windows: windowsOn({ date, doctorId, usesRules, rules, timeOff, company }),
    slotMinutes: company.slot,
    durationMinutes: query.minutes ?? company.duration,
    busy: busy.get(doctorId) ?? [],
    now: Date.parse(now),
  });
  const off = await tx
    .selectFrom('time_off')
    .select(['reason', 'user_id'])
    .where('company_id', '=', companyId)
    .where('archived_at', 'is', null)
    .where('first_day', '<=', date)
    .where('last_day', '>=', date)
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', doctorId)]))
    .orderBy('user_id', (order) => order.asc().nullsFirst())
    .limit(1)
    .executeTakeFirst();
  return {
    data: slots.map(({ at, free }) => ({ startDate: new Date(at).toISOString(), free })),
    off: off ? { reason: off.reason, clinic: off.user_id === null } : null,
  };
});
