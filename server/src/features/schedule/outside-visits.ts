import type { OutsideVisit } from '@roomside/contract/appointments/outside-visit.ts';
import { type TimeOff, type Window, windowsOn } from '@roomside/contract/schedule/windows.ts';
import { dayBounds, offsetAt } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { type ProviderTimes, readProviderTimes } from './provider-times.ts';

/** As many as a person can look through; the calendars show the rest. */
const maxListed = 200;

/**
 * The upcoming visits of these providers (null = all), soonest first: slim, for weighing against rules and time off. With
 * `within` only those that touch these instants: a busy clinic has tens of thousands ahead.
 */
export async function readUpcoming(
  tx: Tx,
  companyId: number,
  doctors: readonly number[] | null,
  now: string,
  within?: { from: string; to: string },
) {
  return tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .select([
      'a.appointment_id',
      'a.starts_at',
      'a.ends_at',
      'a.patient_id',
      'a.doctor_id',
      'p.first_name',
      'p.last_name',
    ])
    .select(['d.first_name as doctor_first', 'd.last_name as doctor_last'])
    .where('a.company_id', '=', companyId)
    .where('a.archived_at', 'is', null)
    .where('a.cancelled', '=', false)
    .where('a.immediate', '=', false)
    .where('a.starts_at', '>', now)
    .$if(within !== undefined, (q) =>
      q.where('a.starts_at', '<', within?.to ?? '').where('a.ends_at', '>', within?.from ?? ''),
    )
    .$if(doctors !== null, (q) => q.where(sql<boolean>`a.doctor_id = any(${doctors})`))
    .orderBy('a.starts_at')
    .orderBy('a.appointment_id')
    .execute();
}
type Upcoming = Awaited<ReturnType<typeof readUpcoming>>[number];

const toOutside = (row: Upcoming): OutsideVisit => ({
  appointmentId: row.appointment_id,
  patientId: row.patient_id,
  patient: { firstName: row.first_name, lastName: row.last_name },
  doctorId: row.doctor_id,
  doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
  startDate: row.starts_at,
  endDate: row.ends_at,
});

/** The instants from the first of these days to the end of the last, in the company's zone. */
export const daysWithin = (days: readonly Pick<TimeOff, 'firstDay' | 'lastDay'>[], timeZone: string) => ({
  from: dayBounds(days.map(({ firstDay }) => firstDay).toSorted()[0] ?? '', timeZone).from,
  to: dayBounds(
    days
      .map(({ lastDay }) => lastDay)
      .toSorted()
      .at(-1) ?? '',
    timeZone,
  ).to,
});

/** The visits that a closure or leave covers on some day of the company's zone. */
export function withinTimeOff(visits: readonly Upcoming[], off: TimeOff, timeZone: string): OutsideVisit[] {
  const { from } = dayBounds(off.firstDay, timeZone);
  const { to } = dayBounds(off.lastDay, timeZone);
  return visits
    .filter(
      (visit) =>
        (off.userId === null || off.userId === visit.doctor_id) && visit.starts_at < to && visit.ends_at > from,
    )
    .slice(0, maxListed)
    .map(toOutside);
}

/**
 * What a change of rules leaves outside: the upcoming visits of these providers that lay within their times before `work`
 * and do not after it (RULES; decisions, 5: they stay booked, and staff are told).
 */
export async function leftOutside<T>(
  tx: Tx,
  companyId: number,
  doctors: readonly number[],
  now: string,
  work: () => Promise<T>,
): Promise<{ result: T; outside: OutsideVisit[] }> {
  const visits = await readUpcoming(tx, companyId, doctors, now);
  const last = visits.at(-1);
  if (!last) return { result: await work(), outside: [] };
  const days = { from: day(now, -1), to: day(last.ends_at, 1) };
  const before = isInside(await readProviderTimes(tx, companyId, doctors, days));
  const result = await work();
  const after = isInside(await readProviderTimes(tx, companyId, doctors, days));
  const outside = visits.filter((visit) => before(visit) && !after(visit));
  return { result, outside: outside.slice(0, maxListed).map(toOutside) };
}

/** A day's margin, whatever the zone. */
const day = (instant: string, shift: number) =>
  new Date(Date.parse(instant) + shift * 86_400_000).toISOString().slice(0, 10);

/** Whether a visit lies within its provider's times; thousands are asked, so each day's windows are worked out once. */
function isInside(times: ProviderTimes): (visit: Upcoming) => boolean {
  const { company, rules, timeOff, timeZone } = times;
  const usesRules = new Map(times.providers.map((provider) => [provider.userId, provider.usesRules]));
  const known = new Map<string, Window[]>();
  const windowsOf = (doctorId: number, date: string): Window[] => {
    const key = `${doctorId} ${date}`;
    let windows = known.get(key);
    if (!windows) {
      const own = usesRules.get(doctorId);
      windows = own === undefined ? [] : windowsOn({ date, doctorId, usesRules: own, rules, timeOff, company });
      known.set(key, windows);
    }
    return windows;
  };
  return (visit) => {
    const start = wallOf(visit.starts_at, timeZone);
    const end = wallOf(visit.ends_at, timeZone);
    const until = end.date === start.date ? end.minute : 1440 + end.minute;
    return windowsOf(visit.doctor_id, start.date).some((window) => window.start <= start.minute && until <= window.end);
  };
}

function wallOf(instant: string, timeZone: string): { date: string; minute: number } {
  const at = Date.parse(instant);
  const wall = new Date(at + offsetAt(timeZone, at));
  return { date: wall.toISOString().slice(0, 10), minute: wall.getUTCHours() * 60 + wall.getUTCMinutes() };
}
