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
async function upgradeFrom(files: ReadonlyMap<string, string>, more = ''): Promise<TestDatabase> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-upgrade-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  fs.mkdirSync(path.join(folder, 'functions'));
  for (const [name, sql] of files) fs.writeFileSync(path.join(folder, name), sql);
  const database = await createTestDatabase({ empty: true });
  const { owner, application } = database;
  await prepareDatabase({ owner, application, now, folder });
  await query(database, `${rows};${more}`);
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

/** The current migrations whose names match. */
const currentOnes = (isOne = (_name: string) => true) =>
  new Map(
    fs
      .globSync('**/*.sql', { cwd: MIGRATIONS })
      .filter(isOne)
      .map((name) => [name, fs.readFileSync(path.join(MIGRATIONS, name), 'utf8')] as const),
  );

test('upgrade from the same migrations: changes nothing', () => requireUpgraded(currentOnes()));

test('upgrade of messages that say what was before a change: they say what they name', async () => {
  // Invited at 9, moved by staff to 10 and by the patient to 11; a move to 12 is being held. Another one was cancelled at 9, moved before to 10.
  const messages = `
    insert into appointments (company_id, appointment_uid, patient_id, doctor_id, starts_at, ends_at, code_hash, code_cipher, created_at,
        cancelled, cancelled_at)
      select company_id, md5(u), patient_id, user_id, '2100-03-02T12:00Z', '2100-03-02T12:15Z', decode(md5(u), 'hex'), '\\x04', '2026-01-01', u = 'c',
        case when u = 'c' then '2100-03-01T05:00Z'::timestamptz end
      from patients join users using (company_id), unnest(array['b', 'c']) as u;
    insert into notification_logs (company_id, appointment_id, patient_id, kind, method, due_at, created_at, state, sent_at, by_user_id,
        known_starts_at, known_doctor_id)
      select a.company_id, a.appointment_id, a.patient_id, m.kind, 'email', at, at, m.state,
        case when m.state = 'sent' then at + interval '1 minute' end, case when m.by_staff then a.doctor_id end,
        t.known, case when t.known is not null then a.doctor_id end
      from (values ('b', 'invitation', 1, 'sent', true, null), ('b', 'newTime', 2, 'sent', true, '2100-03-02T09:00Z'),
        ('b', 'newTime', 3, 'failed', false, '2100-03-02T10:00Z'), ('b', 'newTime', 4, 'queued', true, '2100-03-02T11:00Z'),
        ('c', 'cancelled', 5, 'sent', true, '2100-03-02T09:00Z')) as m (of, kind, hour, state, by_staff, known_at)
      join appointments a on a.appointment_uid = md5(m.of)
      cross join lateral (select '2100-03-01T00:00Z'::timestamptz + m.hour * interval '1 hour' as at, m.known_at::timestamptz as known) as t
      order by hour`;
  const upgraded = await upgradeFrom(
    currentOnes((name) => name < '034'),
    messages,
  );
  const said = await query(
    upgraded,
    `select to_char(created_at at time zone 'UTC', 'FMHH24') as created, to_char(named_starts_at at time zone 'UTC', 'FMHH24') as names,
       to_char(named_at at time zone 'UTC', 'FMHH24:MI') as at from notification_logs order by notification_id`,
  );
  expect(said).toEqual([
    { created: '1', names: '9', at: '1:01' },
    { created: '2', names: '10', at: '2:01' },
    { created: '3', names: '11', at: '3:00' },
    { created: '4', names: null, at: null },
    { created: '5', names: '9', at: '5:01' },
  ]);
});
