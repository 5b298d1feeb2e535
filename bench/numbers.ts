import { type StatusFacts, statusOf } from '@roomside/contract/appointments/status.ts';
import { getNumbers } from '@roomside/contract/numbers/calls.ts';
import pg from 'pg';
import type { App } from '../server/src/app.ts';
import { withBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments } from './support/cluster.ts';
import { buildClinic, medianOf, readAs } from './support/pages.ts';

const requests = 15;
const weeks = 8;

/**
 * The numbers of a clinic with `count` appointments, whose 100 providers work 40 hours a week without a gap: median of eight weeks over HTTP, ms. The counts
 * are compared with a plain computation over all rows by the rule of statuses.
 */
export const numbers = (count = 1_000_000): Promise<Record<string, number>> =>
  withBenchApp((cluster, app) => measure(cluster, app, count));

async function measure(cluster: BenchCluster, app: App, count: number): Promise<Record<string, number>> {
  const { companyId, email } = await buildClinic(app, 'America/New_York');
  await fillAppointments(cluster, companyId, count);
  await fillVisits(cluster, count);
  const read = await readAs(await app.listen('127.0.0.1', 0), { email });
  let last = '';
  const p50Ms = await medianOf('numbers', requests, async () => {
    const answer = await read(getNumbers, { weeks: String(weeks) });
    last = answer.text;
    return answer;
  });
  const { from, total } = JSON.parse(last) as { from: string; total: { visits: number; missed: number } };
  const plain = await countPlainly(cluster, from);
  const { visits, missed } = total;
  if (visits !== plain.visits || missed !== plain.missed)
    throw new Error(`${visits} visits and ${missed} missed instead of ${plain.visits} and ${plain.missed}.`);
  return { appointments: count, inRange: plain.rows, visits, missed, p50Ms };
}

/** Moves the appointments to end now, and gives five of six a visit or a wait. */
async function fillVisits(cluster: BenchCluster, count: number): Promise<void> {
  const client = new pg.Client(cluster.owner);
  await client.connect();
  await client.query(`
    alter table appointments drop constraint no_double_booking;
    -- There are no visits whose start would follow.
    alter table appointments disable trigger visit_start;
    -- The providers work 40 of the 168 hours of a week.
    update appointments set starts_at = now() - (last.at - starts_at) * 4.2,
        ends_at = now() - (last.at - starts_at) * 4.2 + interval '15 minutes'
      from (select max(ends_at) as at from appointments) as last;
    alter table appointments enable trigger visit_start;
    insert into visits (appointment_id, company_id, patient_id, doctor_id, first_arrived_at, duration, waited, ended_at)
      select appointment_id, company_id, patient_id, doctor_id, starts_at, case appointment_id % 6 when 1 then 20 else 600 end,
        appointment_id * 7919 % 1800, case appointment_id % 6 when 2 then ends_at end
      from appointments where appointment_id % 6 > 0`);
  await client.query('vacuum analyze');
  await client.end();
  process.stdout.write(`${count} appointments are filled.\n`);
}

/** Counts row by row, with the rule that the screens use. */
async function countPlainly(cluster: BenchCluster, from: string) {
  const client = new pg.Client(cluster.owner);
  await client.connect();
  const now = new Date().toISOString();
  const { rows } = await client.query<{ start: Date; duration: number; ended: Date | null }>(
    `select a.starts_at as start, coalesce(v.duration, 0) as duration, v.ended_at as ended
     from appointments a left join visits v using (appointment_id)
     where a.starts_at >= ($1::date)::timestamp at time zone 'America/New_York'`,
    [from],
  );
  await client.end();
  const counts = { rows: rows.length, visits: 0, missed: 0 };
  for (const { start, duration, ended } of rows) {
    const facts: StatusFacts = {
      startDate: new Date(start).toISOString(),
      cancelled: false,
      cancelledAt: null,
      patientPresent: null,
      providerPresent: null,
      firstArrivedAt: null,
      duration,
      endedAt: ended && new Date(ended).toISOString(),
      providerCame: false,
      waitedSeconds: 0,
      completedElsewhere: false,
    };
    const status = statusOf(facts, now);
    if (status === 'completed') counts.visits += 1;
    if (status === 'missed') counts.missed += 1;
  }
  return counts;
}
