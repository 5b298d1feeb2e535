import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { hasHistory, migrationsOf, readReleases } from '../../scripts/released-migrations.ts';
import { MIGRATIONS, prepareDatabase } from '../src/platform/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

const now = Temporal.Instant.from('2026-03-02T09:00:00Z');
const releases = readReleases();

/** One row of the tables that every release has. */
const rows = `
  insert into companies (company_uid, company_name, time_zone, expiration_date, created_at)
    values (md5('c'), 'Clinic', 'UTC', '2100-01-01', '2026-01-01');
  insert into users (company_id, role_id, first_name, last_name, email, created_at)
    select company_id, 'D', 'Dana', 'Doctor', 'dana@example.test', '2026-01-01' from companies;
  insert into patients (company_id, first_name, last_name, created_at)
    select company_id, 'Pat', 'Patient', '2026-01-01' from companies;
  insert into appointments (company_id, appointment_uid, patient_id, doctor_id, starts_at, ends_at, code_hash, code_cipher, created_at)
    select company_id, md5('a'), patient_id, user_id, '2026-03-02T09:00Z', '2026-03-02T09:15Z', '\\x01', '\\x02', '2026-01-01'
    from patients join users using (company_id);
  insert into audit_log (company_id, occurred_at, actor, action, path, request_id)
    select company_id, '2026-03-02T09:00Z', 'A_1', 'getPatient', '/', 'r' from companies`;

/** Runs the migrations of a release, fills rows, and runs the current migrations. */
async function upgradeFrom(files: ReadonlyMap<string, string>): Promise<TestDatabase> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-upgrade-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  fs.mkdirSync(path.join(folder, 'functions'));
  for (const [name, sql] of files) fs.writeFileSync(path.join(folder, name), sql);
  const database = await createTestDatabase({ empty: true });
  const { owner, application } = database;
  await prepareDatabase({ owner, application, now, folder });
  await query(database, rows);
  await prepareDatabase({ owner, application, now });
  return database;
}

async function query(database: TestDatabase, sql: string): Promise<unknown[]> {
  const client = new pg.Client(database.owner);
  await client.connect();
  try {
    const result = (await client.query(sql)) as pg.QueryResult | pg.QueryResult[];
    return Array.isArray(result) ? [] : result.rows;
  } finally {
    await client.end();
  }
}

/** Columns, constraints, indexes, policies and functions. */
const schemaOf = (database: TestDatabase) =>
  query(
    database,
    `select 'column' as kind, table_name || '.' || column_name as name, data_type || coalesce(column_default, '') || is_nullable as definition
       from information_schema.columns where table_schema = 'public'
     union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
       from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0
     union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
     union all select 'policy', tablename || '.' || policyname, concat(cmd, qual, with_check) from pg_policies
     union all select 'function', p.oid::regprocedure::text, p.prosrc from pg_proc p where pronamespace = 'public'::regnamespace
     order by 1, 2, 3`,
  );

/** A new database with the current migrations. */
let fresh: TestDatabase;
beforeAll(async () => {
  fresh = await createTestDatabase({ empty: true });
  await prepareDatabase({ owner: fresh.owner, application: fresh.application, now });
});

async function requireUpgraded(files: ReadonlyMap<string, string>): Promise<void> {
  const upgraded = await upgradeFrom(files);
  expect(await schemaOf(upgraded)).toEqual(await schemaOf(fresh));
  expect(
    await query(
      upgraded,
      `select company_name, u.email, p.first_name, starts_at, action
       from companies c join users u using (company_id) join patients p using (company_id) join appointments a using (company_id)
         join audit_log l using (company_id)`,
    ),
  ).toMatchObject([{ company_name: 'Clinic', email: 'dana@example.test', first_name: 'Pat', action: 'getPatient' }]);
}

test.each(releases === null ? ['no history'] : [])('upgrade from every release: %s here', () => {
  process.stderr.write('No upgrade of a release was tested: git does not have the commits of the releases here.\n');
  expect(hasHistory()).toBe(false);
});

test.each(releases ?? [])('upgrade from $version: has the schema of a new database, and its rows', (release) =>
  requireUpgraded(migrationsOf(release)),
);

test('upgrade from the same migrations: changes nothing', async () => {
  const current = fs
    .globSync('**/*.sql', { cwd: MIGRATIONS })
    .map((name) => [name, fs.readFileSync(path.join(MIGRATIONS, name), 'utf8')] as const);
  await requireUpgraded(new Map(current));
});
