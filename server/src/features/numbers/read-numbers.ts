import { completedAfterSeconds, missedAfterMinutes } from '@roomside/contract/limits.ts';
import type { DeviceProblem } from '@roomside/contract/numbers/calls.ts';
import { addMinutes, dayBounds, instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { byName } from '../../platform/lists.ts';
import { openTimes, readProviderTimes } from '../schedule/availability.ts';

interface Range {
  /** The first day, a Sunday, and today; YYYY-MM-DD in the company's zone. */
  readonly from: string;
  readonly to: string;
}

/** The current week and those before it. */
export function rangeOf(weeks: number, timeZone: string, now: string): Range {
  const today = Temporal.PlainDate.from(instantToWall(now, timeZone).day);
  // Sunday is day 7 of ISO 8601.
  const sunday = today.subtract({ days: today.dayOfWeek % 7 });
  return { from: sunday.subtract({ weeks: weeks - 1 }).toString(), to: today.toString() };
}

/** Appointments of one week with the same result. */
interface Counted {
  /** 1 = the first week. */
  week: number;
  /** Seconds that the patient waited; null = no visit took place. */
  waited: number | null;
  count: number;
  missed: number;
  cancelled: number;
}

/** Appointments of one provider. */
interface Booked {
  doctor_id: number;
  minutes: number;
}

/**
 * The numbers of getNumbers, without appointments that were held elsewhere and imported. The conditions of visits and missed appointments are those of `statusOf`, written in SQL since a large
 * clinic has a hundred thousand appointments in eight weeks; a test compares both.
 */
export async function readNumbers(tx: Tx, { companyId, timeZone }: StaffCaller, range: Range, now: string) {
  const since = dayBounds(range.from, timeZone).from;
  const weeks = weeksOf(range);
  const starts = weeks.map((day) => dayBounds(day, timeZone).from);
  await planForMany(tx);
  const { counted, booked } = await countAppointments(tx, {
    companyId,
    since,
    until: dayBounds(range.to, timeZone).to,
    starts,
    missedBefore: addMinutes(now, -missedAfterMinutes),
  });
  return {
    ...range,
    total: toCounts(counted),
    weeks: weeks.map((from, index) => ({ from, ...toCounts(counted.filter(({ week }) => week === index + 1)) })),
    providers: await readUtilization(tx, companyId, range, booked),
    ...(await readDevices(tx, companyId, since)),
  };
}

/**
 * Plans the next statements for their values: how many weeks are read decides between reading rows by an index and joining whole ranges.
 * The join fits into memory, and compiling takes longer than it saves.
 */
const planForMany = (tx: Tx) =>
  sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '64MB', true),
    set_config('jit', 'off', true)`.execute(tx);

/** ISO instants; `starts` are those of the weeks. */
interface Counting {
  readonly companyId: number;
  readonly since: string;
  readonly until: string;
  readonly starts: readonly string[];
  readonly missedBefore: string;
}

/** Counts the appointments by week and waiting time, and by provider: one pass without sorting, whose result has few rows. */
async function countAppointments(tx: Tx, { companyId, since, until, starts, missedBefore }: Counting) {
  const { rows } = await sql<Counted & { doctor_id: number | null; minutes: number }>`
    select week, waited, doctor_id, count(*)::int as count,
      count(*) filter (where not cancelled and not visited and not waiting and starts_at <= ${missedBefore})::int as missed,
      count(*) filter (where cancelled)::int as cancelled,
      coalesce(extract(epoch from sum(length) filter (where not cancelled)) / 60, 0)::int as minutes
    from (
      select *, case when visited then waited_seconds end as waited from (
        select a.starts_at, a.doctor_id, a.cancelled, a.ends_at - a.starts_at as length, coalesce(v.waited, 0) as waited_seconds,
          width_bucket(a.starts_at, ${starts}::timestamptz[]) as week,
          not a.cancelled and (coalesce(v.duration, 0) >= ${completedAfterSeconds} or v.ended_at is not null
            or (v.patient_present_at is not null and v.provider_present_at is not null)) as visited,
          v.patient_present_at is not null as waiting
        from appointments a left join visits v on v.appointment_id = a.appointment_id
          and v.company_id = ${companyId} and v.starts_at >= ${since} and v.starts_at < ${until}
        where a.company_id = ${companyId} and a.archived_at is null and not a.completed_elsewhere
          and a.starts_at >= ${since} and a.starts_at < ${until}
          and a.patient_id not in (select patient_id from patients where company_id = ${companyId} and is_test)
      ) as of_range
    ) as with_waits
    group by grouping sets ((week, waited), (doctor_id))`.execute(tx);
  return {
    counted: rows.filter(({ doctor_id }) => doctor_id === null),
    booked: rows.filter((row): row is typeof row & Booked => row.doctor_id !== null),
  };
}

function toCounts(counted: readonly Counted[]) {
  const sum = (of: (row: Counted) => number) => counted.reduce((total, row) => total + of(row), 0);
  const waits = counted
    .flatMap(({ waited, count }) => (waited === null ? [] : [{ waited, count }]))
    .sort((a, b) => a.waited - b.waited);
  return {
    visits: waits.reduce((total, { count }) => total + count, 0),
    missed: sum(({ missed }) => missed),
    cancelled: sum(({ cancelled }) => cancelled),
    waitMedian: percentileOf(waits, 0.5),
    waitP90: percentileOf(waits, 0.9),
  };
}

/** The continuous percentile (SQL's percentile_cont) of sorted, counted values, rounded; null without values. */
function percentileOf(waits: readonly { waited: number; count: number }[], part: number): number | null {
  const n = waits.reduce((total, { count }) => total + count, 0);
  if (n === 0) return null;
  const place = part * (n - 1);
  const at = (index: number) => {
    let passed = 0;
    return waits.find(({ count }) => (passed += count) > index)?.waited ?? 0;
  };
  const [below, above] = [at(Math.floor(place)), at(Math.ceil(place))];
  return Math.round(below + (above - below) * (place - Math.floor(place)));
}

function weeksOf({ from, to }: Range): string[] {
  const first = Temporal.PlainDate.from(from);
  const { days } = first.until(to);
  return Array.from({ length: Math.floor(days / 7) + 1 }, (_, index) => first.add({ weeks: index }).toString());
}

/**
 * The present providers, by name, with the minutes in which they could be booked and were; then by name those who were booked and are no
 * providers any more, disabled or in another role.
 */
async function readUtilization(tx: Tx, companyId: number, range: Range, booked: readonly Booked[]) {
  const times = await readProviderTimes(tx, companyId, null, range);
  const minutes = new Map(booked.map((row) => [row.doctor_id, row.minutes]));
  const open = new Map<number, number>();
  for (const { doctorId, start, end } of openTimes(times, range))
    open.set(doctorId, (open.get(doctorId) ?? 0) + end - start);
  const present = times.providers.map(({ userId, firstName, lastName }) => ({
    userId,
    firstName,
    lastName,
    bookedMinutes: minutes.get(userId) ?? 0,
    openMinutes: open.get(userId) ?? 0,
  }));
  const ids = new Set(present.map(({ userId }) => userId));
  const gone = booked.filter((row) => row.minutes > 0 && !ids.has(row.doctor_id));
  const names = await readNames(
    tx,
    companyId,
    gone.map((row) => row.doctor_id),
  );
  const former = names.map((row) => ({
    userId: row.user_id,
    firstName: row.first_name,
    lastName: row.last_name,
    bookedMinutes: minutes.get(row.user_id) ?? 0,
    openMinutes: null,
  }));
  return [...present, ...former];
}

async function readNames(tx: Tx, companyId: number, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return tx
    .selectFrom('users')
    .select(['user_id', 'first_name', 'last_name'])
    .where('company_id', '=', companyId)
    .where('user_id', 'in', ids)
    .orderBy(byName('last_name'))
    .orderBy(byName('first_name'))
    .orderBy('user_id')
    .execute();
}

/** What is in order, or was not checked. */
const inOrder = ['works', 'good', 'fair', 'unknown'];

async function readDevices(tx: Tx, companyId: number, since: string) {
  const { rows } = await sql<{ part: DeviceProblem['part'] | null; result: string | null; count: number }>`
    select part, result, count(*)::int as count
    from device_checks d, lateral (values ('camera', d.camera), ('microphone', d.microphone), ('speaker', d.speaker),
      ('connection', d.connection)) as found (part, result)
    where d.company_id = ${companyId} and d.checked_at >= ${since}
    group by part, result`.execute(tx);
  const checks = rows.filter(({ part }) => part === 'camera').reduce((sum, { count }) => sum + count, 0);
  const deviceProblems = rows
    .filter((row): row is DeviceProblem => row.part !== null && row.result !== null && !inOrder.includes(row.result))
    .sort((a, b) => b.count - a.count || `${a.part} ${a.result}`.localeCompare(`${b.part} ${b.result}`));
  return { checks, deviceProblems };
}
