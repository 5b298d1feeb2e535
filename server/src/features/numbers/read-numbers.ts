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

interface Counted {
  /** The first day of the week; null in a provider's row and in the total. */
  week: string | null;
  /** Null in a week's row and in the total. */
  doctor_id: number | null;
  visits: number;
  missed: number;
  cancelled: number;
  wait_median: number | null;
  wait_p90: number | null;
  booked_minutes: number;
}

/**
 * The numbers of getNumbers. The conditions of visits and missed appointments are those of `statusOf`, written in SQL since a large
 * clinic has a hundred thousand appointments in eight weeks; a test compares both.
 */
export async function readNumbers(tx: Tx, { companyId, timeZone }: StaffCaller, range: Range, now: string) {
  const since = dayBounds(range.from, timeZone).from;
  const until = dayBounds(range.to, timeZone).to;
  const missedBefore = addMinutes(now, -missedAfterMinutes);
  const { rows } = await sql<Counted>`
    select week, doctor_id,
      count(*) filter (where visited)::int as visits,
      count(*) filter (where not cancelled and not visited and not waiting and starts_at <= ${missedBefore})::int as missed,
      count(*) filter (where cancelled)::int as cancelled,
      round((percentile_cont(0.5) within group (order by waited) filter (where visited))::numeric)::int as wait_median,
      round((percentile_cont(0.9) within group (order by waited) filter (where visited))::numeric)::int as wait_p90,
      coalesce(sum(minutes) filter (where not cancelled), 0)::int as booked_minutes
    from (
      select a.starts_at, a.doctor_id, a.cancelled, coalesce(v.waited, 0) as waited,
        extract(epoch from a.ends_at - a.starts_at) / 60 as minutes,
        (a.starts_at at time zone ${timeZone})::date
          - extract(dow from a.starts_at at time zone ${timeZone})::int as week,
        not a.cancelled and (coalesce(v.duration, 0) >= ${completedAfterSeconds} or v.ended_at is not null
          or (v.patient_present_at is not null and v.provider_present_at is not null)) as visited,
        v.patient_present_at is not null as waiting
      from appointments a left join visits v on v.appointment_id = a.appointment_id
      where a.company_id = ${companyId} and a.archived_at is null and a.starts_at >= ${since} and a.starts_at < ${until}
        and a.patient_id not in (select patient_id from patients where company_id = ${companyId} and is_test)
    ) as of_range
    group by grouping sets ((week), (doctor_id), ())`.execute(tx);
  const counted = new Map(rows.flatMap((row) => (row.week === null ? [] : [[row.week, row] as const])));
  const weeks = weeksOf(range).map((week) => ({ from: week, ...toCounts(counted.get(week)) }));
  const total = toCounts(rows.find((row) => row.week === null && row.doctor_id === null));
  const booked = new Map(rows.flatMap((row) => (row.doctor_id === null ? [] : [[row.doctor_id, row.booked_minutes]])));
  return {
    ...range,
    total,
    weeks,
    providers: await readUtilization(tx, companyId, range, booked),
    ...(await readDevices(tx, companyId, since)),
  };
}

const toCounts = (row: Counted | undefined) => ({
  visits: row?.visits ?? 0,
  missed: row?.missed ?? 0,
  cancelled: row?.cancelled ?? 0,
  waitMedian: row?.wait_median ?? null,
  waitP90: row?.wait_p90 ?? null,
});

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
