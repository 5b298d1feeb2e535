import type { BookableStart } from '@roomside/contract/booking/calls.ts';
import { providers as providerRoles } from '@roomside/contract/permissions.ts';
import { type Busy, freeSlots } from '@roomside/contract/schedule/slots.ts';
import { type RuleInForce, type TimeOff, windowsOn } from '@roomside/contract/schedule/windows.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { prepared } from '../../platform/database/prepared.ts';
import { byName } from '../../platform/lists.ts';

/** What determines when a company's providers can be booked, without appointments and holds. */
export interface ProviderTimes {
  readonly timeZone: string;
  readonly company: { startHour: number; endHour: number; slot: number; duration: number };
  /** Enabled administrators and doctors, sorted by name; `usesRules` = has ever been on a rule. */
  readonly providers: readonly { userId: number; firstName: string; lastName: string; usesRules: boolean }[];
  readonly rules: readonly RuleInForce[];
  readonly timeOff: readonly TimeOff[];
}

/** Reads the providers, enabled rules and time off of the company days `from` to `to`; `doctors` null = all providers. */
export async function readProviderTimes(
  tx: Tx,
  companyId: number,
  doctors: readonly number[] | null,
  { from, to }: { from: string; to: string },
): Promise<ProviderTimes> {
  const company = await tx
    .selectFrom('companies')
    .select(['time_zone', 'start_hour', 'end_hour', 'slot', 'duration'])
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const providers = await tx
    .selectFrom('users')
    .select(['user_id', 'first_name', 'last_name', 'uses_rules'])
    .where('company_id', '=', companyId)
    .where('role_id', 'in', providerRoles)
    .where('disabled', '=', false)
    .$if(doctors !== null, (q) => q.where(sql<boolean>`user_id = any(${doctors})`))
    .orderBy(byName('last_name'))
    .orderBy(byName('first_name'))
    .orderBy('user_id')
    .execute();
  const timeOff = await tx
    .selectFrom('time_off')
    .select(['user_id', 'first_day', 'last_day'])
    .where('company_id', '=', companyId)
    .where('archived_at', 'is', null)
    .where('last_day', '>=', from)
    .where('first_day', '<=', to)
    .execute();
  return {
    timeZone: company.time_zone,
    company: {
      startHour: company.start_hour,
      endHour: company.end_hour,
      slot: company.slot,
      duration: company.duration,
    },
    providers: providers.map((row) => ({
      userId: row.user_id,
      firstName: row.first_name,
      lastName: row.last_name,
      usesRules: row.uses_rules,
    })),
    rules: providers.some((provider) => provider.uses_rules) ? await readRules(tx, companyId, { from, to }) : [],
    timeOff: timeOff.map((row) => ({ userId: row.user_id, firstDay: row.first_day, lastDay: row.last_day })),
  };
}

/** The enabled rules that may apply on one of the days, with their windows and providers. */
async function readRules(
  tx: Tx,
  companyId: number,
  { from, to }: { from: string; to: string },
): Promise<RuleInForce[]> {
  const rows = await tx
    .selectFrom('scheduling_rules as r')
    .selectAll('r')
    .select([
      sql<
        { start: number; end: number }[]
      >`(select coalesce(json_agg(json_build_object('start', t.start_minute, 'end', t.end_minute)
        order by t.position), '[]') from rule_times t where t.rule_id = r.rule_id)`.as('times'),
      sql<number[]>`(select coalesce(json_agg(p.user_id), '[]') from rule_providers p where p.rule_id = r.rule_id)`.as(
        'doctors',
      ),
    ])
    .where('r.company_id', '=', companyId)
    .where('r.archived_at', 'is', null)
    .where('r.disabled', '=', false)
    .where('r.active_start_date', '<=', to)
    .where((eb) =>
      eb.or([
        eb('r.active_end_date', 'is', null),
        eb('r.active_end_date', '>=', from),
        // A rule for a single date has no last day.
        eb('r.rule_type', '=', 'S'),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    ...toRecurrence(row),
    disabled: false,
    times: row.times.map(({ start, end }) => ({ startTime: wallTime(start), endTime: wallTime(end) })),
    providerIds: row.doctors,
  }));
}

interface RecurrenceRow {
  rule_type: string;
  active_start_date: string;
  active_end_date: string | null;
  daily_type: number;
  every_n_day: number;
  every_n_week: number;
  every_n_month: number;
  week_mask: number;
  month_mask: number;
  year_mask: number;
  week_month_mask: number;
  monthly_type1: number;
  monthly_type2: number;
}

/** Returns the recurrence of a stored rule as in the contract (ENTITY-12). */
export function toRecurrence(row: RecurrenceRow) {
  return {
    ruleType: row.rule_type as 'S' | 'D' | 'W' | 'M',
    activeStartDate: row.active_start_date,
    activeEndDate: row.active_end_date,
    dailyType: row.daily_type as 1 | 2,
    everyNday: row.every_n_day,
    everyNweek: row.every_n_week,
    everyNmonth: row.every_n_month,
    weekMask: row.week_mask,
    monthMask: row.month_mask,
    yearMask: row.year_mask,
    weekMonthMask: row.week_month_mask,
    monthlyType1: row.monthly_type1 as 1 | 2,
    monthlyType2: row.monthly_type2 as 1 | 2,
  };
}

/** Minutes of the day as 'HH:mm'; 1440 is '24:00'. */
export const wallTime = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
/** The inverse of {@link wallTime}. */
export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Returns the bookable windows of the providers on the company days `from` to `to`, also where they are taken. */
export function openTimes(times: ProviderTimes, { from, to }: { from: string; to: string }) {
  const { company, rules, timeOff } = times;
  return daysBetween(from, to).flatMap((date) =>
    times.providers.flatMap(({ userId, usesRules }) =>
      windowsOn({ date, doctorId: userId, usesRules, rules, timeOff, company }).map((window) => ({
        date,
        doctorId: userId,
        ...window,
      })),
    ),
  );
}

function daysBetween(from: string, to: string): string[] {
  const first = Temporal.PlainDate.from(from);
  const { days } = first.until(to);
  return Array.from({ length: days + 1 }, (_, index) => first.add({ days: index }).toString());
}

/** A taken span of a provider's time: an appointment, a hold, or without both a busy time of the external calendar. */
export interface Taken {
  doctor_id: number;
  starts_at: string;
  ends_at: string;
  appointment_id: number | null;
  hold_uid: string | null;
}

/** The taken spans of these providers between two instants, by start. They do not contain patients. */
export const takenTimes = prepared(
  (_tx, { doctors, since, until, now }: { doctors: number[]; since: string; until: string; now: string }) =>
    sql<Taken>`select * from provider_busy(${doctors}, ${since}, ${until}, ${now}) order by starts_at`,
);

/** What does not count as taken: the appointment that is moved, the browser's own hold. */
export interface Ignored {
  readonly appointmentId?: number;
  readonly holdUid?: string;
  /** Staff override holds. */
  readonly allHolds?: true;
}

export function isInTheWay({ appointment_id, hold_uid }: Taken, ignore: Ignored): boolean {
  if (appointment_id !== null) return appointment_id !== ignore.appointmentId;
  return hold_uid === null || (ignore.allHolds !== true && hold_uid !== ignore.holdUid);
}

/** Returns the free starts of the company days `from` to `to`, sorted by time, then by the providers' names. */
export async function readFreeStarts(
  tx: Tx,
  companyId: number,
  doctors: readonly number[] | null,
  days: { from: string; to: string },
  { ignore = {}, minutes, now }: { ignore?: Ignored; minutes?: number; now: string },
): Promise<BookableStart[]> {
  const times = await readProviderTimes(tx, companyId, doctors, days);
  const busy = await readBusy(tx, times, days, ignore, now);
  const company = { ...times.company, duration: minutes ?? times.company.duration };
  return freeSlots({
    ...days,
    timeZone: times.timeZone,
    company,
    providers: times.providers,
    rules: times.rules,
    timeOff: times.timeOff,
    busyOf: (doctorId) => busy.get(doctorId) ?? [],
    now: Date.parse(now),
  })
    .flatMap(({ doctorId, at }) => at.map((ms) => ({ doctorId, ms })))
    .toSorted((a, b) => a.ms - b.ms)
    .map(({ doctorId, ms }) => ({ startDate: new Date(ms).toISOString(), doctorId }));
}

/** Returns the taken spans by provider, sorted by start, with a margin of a day on both sides for the time zone. */
export async function readBusy(
  tx: Tx,
  times: ProviderTimes,
  { from, to }: { from: string; to: string },
  ignore: Ignored,
  now: string,
): Promise<Map<number, Busy[]>> {
  const margin = 86_400_000;
  const span = {
    since: new Date(Date.parse(from) - margin).toISOString(),
    until: new Date(Date.parse(to) + 2 * margin).toISOString(),
  };
  const busy = new Map<number, Busy[]>(times.providers.map(({ userId }) => [userId, []]));
  const [rows] = await inOneTrip(tx, takenTimes({ doctors: [...busy.keys()], ...span, now }));
  for (const taken of rows) {
    if (!isInTheWay(taken, ignore)) continue;
    busy.get(taken.doctor_id)?.push({ start: Date.parse(taken.starts_at), end: Date.parse(taken.ends_at) });
  }
  return busy;
}

/** How many days ahead the next free starts are searched, and the limit of returned ones. */
const nextFreeLimits = { days: 14, count: 5 };

/** Returns the next free starts from the wanted one on, then the earlier ones of that day, latest first; for refusals. */
export async function readNextFree(
  tx: Tx,
  companyId: number,
  doctorId: number | null,
  wanted: string,
  { ignore, minutes, now, timeZone }: { ignore?: Ignored; minutes?: number; now: string; timeZone: string },
): Promise<BookableStart[]> {
  const from = instantToWall(wanted > now ? wanted : now, timeZone).day;
  const to = Temporal.PlainDate.from(from).add({ days: nextFreeLimits.days }).toString();
  const starts = await readFreeStarts(
    tx,
    companyId,
    doctorId === null ? null : [doctorId],
    { from, to },
    {
      ...(ignore && { ignore }),
      ...(minutes !== undefined && { minutes }),
      now,
    },
  );
  const later = starts.filter(({ startDate }) => startDate >= wanted);
  const earlier = starts.filter(({ startDate }) => startDate < wanted);
  return [...later, ...earlier.toReversed()].slice(0, nextFreeLimits.count);
}
