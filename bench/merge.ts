import pg from 'pg';
import { type BenchCluster, fillAppointments, startBenchCluster } from './support/cluster.ts';
import { median, round } from './support/load.ts';

/** Tables with one row for each appointment, in addition to the appointments. */
const perAppointment = ['visits', 'ledger', 'peers', 'chat_messages', 'notification_logs', 'files', 'photos'] as const;

const merges = 21;

/**
 * Merges patients among `count` rows of records, and measures the time of a merge and the tables that it reads without an
 * index. 20,000 patients share the rows, so that one has `count` / 20,000 of them. Every tenth appointment has a row in the other tables of
 * records, too: a recording, a guest, a charge.
 */
export async function merge(count = 10_000_000): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  const owner = new pg.Client(cluster.owner);
  const client = new pg.Client(cluster.application);
  try {
    await owner.connect();
    await client.connect();
    const companyId = await fill(cluster, owner, Math.floor(count / (perAppointment.length + 1)));
    await client.query(`select set_config('app.kind', 'company', false), set_config('app.company', $1, false)`, [
      String(companyId),
    ]);
    const { rows: patients } = await owner.query<{ id: string }>(
      'select patient_id as id from patients order by patient_id limit $1',
      [merges * 2],
    );
    const before = await wholeReads(owner);
    const times: number[] = [];
    for (let i = 0; i < merges; i += 1) {
      const start = performance.now();
      await client.query('select merge_patient($1, $2, now())', [patients[2 * i]?.id, patients[2 * i + 1]?.id]);
      times.push(performance.now() - start);
    }
    await client.query('select pg_stat_force_next_flush()');
    await client.end();
    const read = (await wholeReads(owner)).filter(({ table, scans }) =>
      before.some((one) => one.table === table && one.scans !== scans),
    );
    for (const { table } of read) process.stdout.write(`read without an index: ${table}\n`);
    return {
      rows: count,
      merges,
      rowsOfPatient: Math.round(count / 20_000),
      mergeP50Ms: round(median(times)),
      mergeMaxMs: round(Math.max(...times)),
      tablesReadWhole: read.length,
    };
  } finally {
    await owner.end().catch(() => {});
    await cluster.stop();
  }
}

async function fill(cluster: BenchCluster, owner: pg.Client, appointments: number): Promise<number> {
  const { rows } = await owner.query<{ id: number }>(
    `insert into companies (company_uid, company_name, time_zone, expiration_date, created_at)
     values (md5('bench'), 'Bench', 'UTC', '2100-01-01', now()) returning company_id::int as id`,
  );
  const companyId = rows[0]?.id ?? 0;
  await fillAppointments(cluster, companyId, appointments);
  const base = 'company_id, appointment_id, patient_id';
  await owner.query(`
    insert into instances values ('bench', now(), now());
    insert into visits (${base}, doctor_id, duration) select ${base}, doctor_id, 600 from appointments;
    insert into ledger (${base}, kind, amount, occurred_at) select ${base}, 'manual', 60, now() from appointments;
    insert into peers (${base}, peer_id, role_id, connection_id, instance_id, joined_at, left_at)
      select ${base}, 'p', 'P', 'c', 'bench', now(), now() from appointments;
    insert into chat_messages (${base}, author, key, payload, occurred_at)
      select ${base}, 'P_1', 'a-key', '\\x00', now() from appointments;
    insert into notification_logs (${base}, kind, method, due_at, state, created_at)
      select ${base}, 'invitation', 'email', now(), 'sent', now() from appointments;
    insert into files (${base}, file_uid, name, media_type, size, content_hash, uploaded_at)
      select ${base}, md5('file ' || appointment_id), '\\x00', 'image/png', 1, sha256('x'), now() from appointments;
    insert into photos (${base}, file_uid, request_key, size, content_hash, uploaded_at)
      select ${base}, md5('photo ' || appointment_id), 'a-request', 1, sha256('x'), now() from appointments;
    insert into booking_requests (company_id, patient_id, wish, created_at)
      select company_id, patient_id, 'Any evening.', now() from patients;
    insert into sign_ins (kind, company_id, patient_id, appointment_id, serial, seed, remember, created_at, rotated_at,
        active_at, expires_at, revoked_at)
      select 'patient', company_id, patient_id, appointment_id, 's', '\\x00', false, now(), now(), now(), now(), now()
      from appointments limit 100000;
    create temp table few as select ${base}, doctor_id, row_number() over () as n from appointments where appointment_id % 10 = 0;
    insert into device_checks (${base}, checked_at, camera, microphone, speaker, connection)
      select ${base}, now(), 'works', 'works', 'works', 'good' from few;
    insert into visit_quality (${base}, peer_id, page, role_id, updated_at, loss_average, loss_worst, concealed_average, concealed_worst,
        rtt_average_ms, rtt_worst_ms, jitter_average_ms, jitter_worst_ms, freezes, relayed, interruptions, restarts, good_seconds,
        fair_seconds, poor_seconds)
      select ${base}, 'p', gen_random_uuid(), 'P', now(), 0, 0, 0, 0, 20, 40, 2, 4, 0, false, 0, 0, 600, 0, 0 from few;
    insert into charges (${base}, charge_key, purpose, attempt, processor, account, amount, currency, method, state, created_at)
      select ${base}, 'charge ' || n, 'appointment', 1, 'none', '', 60, 'USD', '', 'paid', now() from few;
    insert into visit_guests (${base}, guest_uid, name, role, link_hash, link_cipher, visit_day, expires_at, by_user_id, invited_at)
      select ${base}, md5('guest ' || n), 'Guest', 'family', sha256(n::text::bytea), '\\x00', '2020-01-01', now(), doctor_id, now() from few;
    insert into recording_runs (${base}, by_user_id, peer_id, asked_at, stopped_at)
      select ${base}, doctor_id, 'p', now(), now() from few;
    insert into recording_consents (${base}, run_id, peer_id, stream_id, allowed, answered_at)
      select ${base}, run_id, 'p', '', true, now() from recording_runs;
    insert into recordings (${base}, peer_id, created_at) select ${base}, 'p', now() from few;
    insert into recording_blobs (${base}, blob_uid, recording_id, serial, started_at, stopped_at, media_type, size, content_hash,
        by_user_id, uploaded_at)
      select r.company_id, r.appointment_id, r.patient_id, md5('blob ' || n), recording_id, 'a-serial', now() - interval '1 minute', now(),
        'video/webm', 1, sha256('x'), doctor_id, now()
      from recordings r join few using (appointment_id);
  `);
  await owner.query('vacuum analyze');
  return companyId;
}

/** How often each table was read from its beginning to its end, without an index. */
async function wholeReads(client: pg.Client): Promise<{ table: string; scans: string }[]> {
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ table: string; scans: string }>(
    'select relname as table, seq_scan as scans from pg_stat_user_tables order by relname',
  );
  return rows;
}
