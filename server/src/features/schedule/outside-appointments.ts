import type { OutsideAppointment } from '@roomside/contract/appointments/outside-appointment.ts';
import { type TimeOff, type Window, windowsOn } from '@roomside/contract/schedule/windows.ts';
import { dayBounds, offsetAt } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { type ProviderTimes, readProviderTimes } from './availability.ts';

/** Limit of returned appointments; the calendars show the others. */
const maxListed = 200;

/**
 * Returns the upcoming appointments of these providers (null = all), earliest first, for comparison with rules and time
 * off. `within` limits them to those that overlap these instants: a large clinic has tens of thousands.
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

const toOutside = (row: Upcoming): OutsideAppointment => ({
  appointmentId: row.appointment_id,
  patientId: row.patient_id,
  patient: { firstName: row.first_name, lastName: row.last_name },
  doctorId: row.doctor_id,
  doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
  startDate: row.starts_at,
  endDate: row.ends_at,
});

/** The instants from the start of the first day to the end of the last, in the company's zone. */
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

/** Returns the appointments that overlap the days of a time off, in the company's zone. */
export function withinTimeOff(appointments: readonly Upcoming[], off: TimeOff, timeZone: string): OutsideAppointment[] {
  const { from } = dayBounds(off.firstDay, timeZone);
  const { to } = dayBounds(off.lastDay, timeZone);
  return appointments
    .filter(
      (appointment) =>
        (off.userId === null || off.userId === appointment.doctor_id) &&
        appointment.starts_at < to &&
        appointment.ends_at > from,
    )
    .slice(0, maxListed)
    .map(toOutside);
}

/**
 * Runs `work`, which changes rules, and returns the upcoming appointments of these providers that were inside their
 * bookable times before it and are outside after it. These stay booked; the screen lists them for staff.
 */
export async function leftOutside<T>(
  tx: Tx,
  companyId: number,
  doctors: readonly number[],
  now: string,
  work: () => Promise<T>,
): Promise<{ result: T; outside: OutsideAppointment[] }> {
  const appointments = await readUpcoming(tx, companyId, doctors, now);
  const last = appointments.at(-1);
  if (!last) return { result: await work(), outside: [] };
  const days = { from: day(now, -1), to: day(last.ends_at, 1) };
  const before = isInside(await readProviderTimes(tx, companyId, doctors, days));
  const result = await work();
  const after = isInside(await readProviderTimes(tx, companyId, doctors, days));
  const outside = appointments.filter((appointment) => before(appointment) && !after(appointment));
  return { result, outside: outside.slice(0, maxListed).map(toOutside) };
}

/** The UTC day of an instant, shifted by days: a margin for any time zone. */
const day = (instant: string, shift: number) =>
  new Date(Date.parse(instant) + shift * 86_400_000).toISOString().slice(0, 10);

/**
 * Returns a function that says whether an appointment is inside its provider's bookable times. It caches the windows of
 * each day, because it is called for thousands of appointments.
 */
function isInside(times: ProviderTimes): (appointment: Upcoming) => boolean {
  const { company, rules, timeOff, timeZone } = times;
  const usesRules = new Map(times.providers.map((provider) => [provider.userId, provider.usesRules]));
  const cache = new Map<string, Window[]>();
  const windowsOf = (doctorId: number, date: string): Window[] => {
    const key = `${doctorId} ${date}`;
    let windows = cache.get(key);
    if (!windows) {
      const own = usesRules.get(doctorId);
      windows = own === undefined ? [] : windowsOn({ date, doctorId, usesRules: own, rules, timeOff, company });
      cache.set(key, windows);
    }
    return windows;
  };
  return (appointment) => {
    const start = wallOf(appointment.starts_at, timeZone);
    const end = wallOf(appointment.ends_at, timeZone);
    const until = end.date === start.date ? end.minute : 1440 + end.minute;
    return windowsOf(appointment.doctor_id, start.date).some(
      (window) => window.start <= start.minute && until <= window.end,
    );
  };
}

function wallOf(instant: string, timeZone: string): { date: string; minute: number } {
  const at = Date.parse(instant);
  const wall = new Date(at + offsetAt(timeZone, at));
  return { date: wall.toISOString().slice(0, 10), minute: wall.getUTCHours() * 60 + wall.getUTCMinutes() };
}
