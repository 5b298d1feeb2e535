import 'temporal-polyfill/global';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { prepareDatabase } from '../../server/src/platform/database/migrate.ts';
import { prepareJobs } from '../../server/src/platform/jobs.ts';
import { startPostgres } from '../../server/src/platform/postgres/embedded.ts';

export interface BenchCluster {
  owner: pg.ClientConfig;
  application: pg.ClientConfig;
  stop(): Promise<void>;
}

/** Starts a separate durable PostgreSQL with the schema, as in production; deleted after the run. */
export async function startBenchCluster(): Promise<BenchCluster> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-bench-'));
  const settings = ['shared_buffers=1GB', 'max_wal_size=8GB', 'maintenance_work_mem=512MB', 'checkpoint_timeout=30min'];
  const postgres = await startPostgres({ dir: path.join(folder, 'postgres'), durable: true, settings });
  const owner = { host: postgres.host, port: postgres.port, user: postgres.user, database: 'postgres' };
  const application = { ...owner, user: 'app_user' };
  await prepareDatabase({ owner, application, now: Temporal.Now.instant() });
  await prepareJobs(owner);
  return {
    owner,
    application,
    stop: async () => {
      await postgres.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Fills a company with `count` appointments of 100 providers and 20,000 patients, each of 15 minutes and without overlap. The owner writes
 * them directly to the tables.
 */
export async function fillAppointments(cluster: BenchCluster, companyId: number, count: number): Promise<void> {
  const client = new pg.Client(cluster.owner);
  await client.connect();
  // Checked once for all rows, which is faster; the same constraint as before.
  const { rows: constraints } = await client.query<{ definition: string }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'no_double_booking'`,
  );
  await client.query(`
    create temp table doctor as
      with made as (
        insert into users (company_id, role_id, first_name, last_name, email, created_at)
        select ${companyId}, 'D', 'Doc', 'Number ' || n, 'doc' || n || '-' || ${companyId} || '@bench.test', '2020-01-01' from generate_series(1, 100) n
        returning user_id)
      select user_id, row_number() over () - 1 as no from made;
    create temp table patient as
      with made as (
        insert into patients (company_id, first_name, last_name, birth_date, search, created_at)
        select ${companyId}, 'First' || n, 'Last' || (n * 7919 % 20000), '1980-01-01', 'first' || n, '2020-01-01' from generate_series(1, 20000) n
        returning patient_id)
      select patient_id, row_number() over () - 1 as no from made;
    create index on doctor (no);
    create index on patient (no);
    alter table appointments drop constraint no_double_booking;
    insert into appointments (company_id, appointment_uid, patient_id, doctor_id, starts_at, ends_at, fee, code_hash, code_cipher, created_at)
      select ${companyId}, md5(${companyId} || '/' || n), p.patient_id, d.user_id,
        '2020-01-01'::timestamptz + (n / 100) * interval '15 minutes', '2020-01-01'::timestamptz + (n / 100 + 1) * interval '15 minutes',
        60, sha256((${companyId} || '/' || n)::bytea), '\\x00', '2020-01-01'
      from generate_series(1, ${count}) n join doctor d on d.no = n % 100 join patient p on p.no = n * 31 % 20000;
  `);
  await client.query(`alter table appointments add constraint no_double_booking ${constraints[0]?.definition}`);
  await client.query('vacuum analyze');
  await client.end();
}

/** Providers, patients and appointments of each company of {@link fillCompanies}. */
const otherCompany = { providers: 2, patients: 20, appointments: 60 };

/** Adds `count` small companies with providers, patients and appointments. Returns their ids. */
export async function fillCompanies(cluster: BenchCluster, count: number): Promise<number[]> {
  const { providers, patients, appointments } = otherCompany;
  const client = new pg.Client(cluster.owner);
  await client.connect();
  await client.query(`
    create temp table other as
      with made as (
        insert into companies (company_uid, company_name, time_zone, provider_count, expiration_date, created_at)
        select md5('company ' || n), 'Clinic ' || n, 'UTC', 100, '2099-12-31', '2020-01-01' from generate_series(1, ${count}) n
        returning company_id)
      select company_id from made;
    create temp table doctor_of as
      with made as (
        insert into users (company_id, role_id, first_name, last_name, email, created_at)
        select company_id, 'D', 'Doc', 'Number ' || n, 'other' || n || '-' || company_id || '@bench.test', '2020-01-01'
        from other, generate_series(1, ${providers}) n returning user_id, company_id)
      select user_id, company_id, row_number() over (partition by company_id order by user_id) - 1 as no from made;
    create temp table patient_of as
      with made as (
        insert into patients (company_id, first_name, last_name, birth_date, search, created_at)
        select company_id, 'First' || n, 'Last' || n, '1980-01-01', 'first' || n, '2020-01-01'
        from other, generate_series(1, ${patients}) n returning patient_id, company_id)
      select patient_id, company_id, row_number() over (partition by company_id order by patient_id) - 1 as no from made;
    create index on doctor_of (company_id, no);
    create index on patient_of (company_id, no);
    analyze doctor_of; analyze patient_of;
    insert into appointments (company_id, appointment_uid, patient_id, doctor_id, starts_at, ends_at, fee, code_hash, code_cipher, created_at)
      select o.company_id, md5(o.company_id || '/' || n), p.patient_id, d.user_id,
        '2020-01-01'::timestamptz + (n / ${providers}) * interval '15 minutes',
        '2020-01-01'::timestamptz + (n / ${providers} + 1) * interval '15 minutes',
        60, sha256((o.company_id || '/' || n)::bytea), '\\x00', '2020-01-01'
      from other o cross join generate_series(1, ${appointments}) n
      join doctor_of d on d.company_id = o.company_id and d.no = n % ${providers}
      join patient_of p on p.company_id = o.company_id and p.no = n % ${patients};
  `);
  const { rows } = await client.query<{ id: number }>('select company_id::int as id from other order by company_id');
  await client.query('vacuum analyze');
  await client.end();
  return rows.map(({ id }) => id);
}
