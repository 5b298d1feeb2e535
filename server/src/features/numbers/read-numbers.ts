import { completedAfterSeconds, missedAfterMinutes } from '@roomside/contract/limits.ts';
import type { DeviceProblem } from '@roomside/contract/numbers/calls.ts';
import { addMinutes, dayBounds, instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openTimes, readProviderTimes } from '../schedule/provider-times.ts';

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

/**
 * The numbers of getNumbers. The conditions of visits and missed appointments are those of `statusOf`, written in SQL since a large
 * clinic has a hundred thousand appointments in eight weeks; a test compares both.
 */
export async function readNumbers(tx: Tx, { companyId, timeZone }: StaffCaller, range: Range, now: string) {
  const since = dayBounds(range.from, timeZone).from;
  const until = dayBounds(range.to, timeZone).to;
  const weeks = weeksOf(range);
  await planForMany(tx);
  const counted = await countByWait(tx, {
    companyId,
    since,
    until,
    now,
    starts: weeks.map((day) => dayBounds(day, timeZone).from),
  });
  const booked = await readBooked(tx, { companyId, since, until });
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

interface Counting {
  readonly companyId: number;
  /** ISO instants. */
  readonly since: string;
  readonly until: string;
}

/**
 * Counts appointments by week and by how long the patient waited: one pass without sorting, whose result has few rows. `starts` are the
 * starts of the weeks.
 */
async function countByWait(
  tx: Tx,
  { companyId, since, until, now, starts }: Counting & { now: string; starts: readonly string[] },
): Promise<Counted[]> {
  const missedBefore = addMinutes(now, -missedAfterMinutes);
  const { rows } = await sql<Counted>`
    select week, case when visited then waited end as waited, count(*)::int as count,
      count(*) filter (where not cancelled and not visited and not waiting and starts_at <= ${missedBefore})::int as missed,
      count(*) filter (where cancelled)::int as cancelled
    from (
      select a.starts_at, a.cancelled, coalesce(v.waited, 0) as waited, width_bucket(a.starts_at, ${starts}::timestamptz[]) as week,
        not a.cancelled and (coalesce(v.duration, 0) >= ${completedAfterSeconds} or v.ended_at is not null
          or (v.patient_present_at is not null and v.provider_present_at is not null)) as visited,
        v.patient_present_at is not null as waiting
      from appointments a left join visits v on v.appointment_id = a.appointment_id
        and v.company_id = ${companyId} and v.starts_at >= ${since} and v.starts_at < ${until}
      where a.company_id = ${companyId} and a.archived_at is null and a.starts_at >= ${since} and a.starts_at < ${until}
    ) as of_range
    group by 1, 2`.execute(tx);
  return rows;
}

/** The booked minutes of each provider. */
async function readBooked(tx: Tx, { companyId, since, until }: Counting): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ doctor_id: number; minutes: number }>`
    select doctor_id, (extract(epoch from sum(ends_at - starts_at)) / 60)::int as minutes from appointments
    where company_id = ${companyId} and archived_at is null and not cancelled and starts_at >= ${since} and starts_at < ${until}
    group by doctor_id`.execute(tx);
  return new Map(rows.map((row) => [row.doctor_id, row.minutes]));
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

/** The present providers, by name, with the minutes in which they could be booked and were. */
async function readUtilization(tx: Tx, companyId: number, range: Range, booked: ReadonlyMap<number, number>) {
  const times = await readProviderTimes(tx, companyId, null, range);
  const open = new Map<number, number>();
  for (const { doctorId, start, end } of openTimes(times, range))
    open.set(doctorId, (open.get(doctorId) ?? 0) + end - start);
  return times.providers.map(({ userId, firstName, lastName }) => ({
    userId,
    firstName,
    lastName,
    bookedMinutes: booked.get(userId) ?? 0,
    openMinutes: open.get(userId) ?? 0,
  }));
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
