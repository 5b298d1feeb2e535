import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { startPostgres } from '../postgres/embedded.ts';
import { DatabaseSetupError, prepareDatabase } from './migrate.ts';

const now = Temporal.Instant.from('2026-03-02T09:00:00Z');
let folder: string;
let database: TestDatabase;
const roles: string[] = [];

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-migrate-test-'));
  database = await createTestDatabase({ empty: true });
});
afterEach(async () => {
  await database.drop();
  fs.rmSync(folder, { recursive: true, force: true });
  const owner = { ...inject('cluster'), database: 'postgres' };
  for (const role of roles.splice(0)) await query(owner, `drop role ${role}`);
});

async function query<Row = unknown>(connection: pg.ClientConfig, sql: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

async function buildRole(name: string, attributes: string): Promise<pg.ClientConfig> {
  await query(database.owner, `create role ${name} login ${attributes}`);
  roles.push(name);
  return { ...database.owner, user: name };
}

function write(name: string, sql: string): void {
  fs.writeFileSync(path.join(folder, name), sql);
}

const prepare = (more: { owner?: pg.ClientConfig; application?: pg.ClientConfig } = {}) =>
  prepareDatabase({ owner: database.owner, application: database.application, now, folder, ...more });

describe('prepareDatabase: migrations', () => {
  test('run once, in order, and are recorded with the given time', async () => {
    write('001-clinics.sql', 'create table clinics (id int); grant select on clinics to app_user;');
    write('002-names.sql', 'alter table clinics add name text');
    expect((await prepare()).applied).toEqual(['001-clinics.sql', '002-names.sql']);
    write('003-more.sql', 'alter table clinics add more text');
    expect((await prepare()).applied).toEqual(['003-more.sql']);
    const rows = await query(database.owner, 'select name, applied_at from schema_migrations order by name limit 1');
    expect(rows).toEqual([{ name: '001-clinics.sql', applied_at: new Date('2026-03-02T09:00:00Z') }]);
  });

  test('failing migration: is rolled back, and the error has its line', async () => {
    write('001-good.sql', 'create table good (id int)');
    write('002-bad.sql', 'create table half (id int);\n\ninsert into nowhere values (1);');
    await expect(prepare()).rejects.toThrow('Migration 002-bad.sql failed: relation "nowhere" does not exist (line 3)');
    const tables = await query(
      database.owner,
      `select tablename from pg_tables where schemaname = 'public' order by 1`,
    );
    expect(tables).toEqual([{ tablename: 'good' }, { tablename: 'schema_migrations' }]);
    write('002-bad.sql', 'create table half (id int)');
    expect((await prepare()).applied).toEqual(['002-bad.sql']);
  });

  test('two instances that start at the same time apply each once', async () => {
    write('001-slow.sql', 'create table once (id int); select pg_sleep(0.2);');
    const both = await Promise.all([prepare(), prepare()]);
    expect(both.flatMap(({ applied }) => applied)).toEqual(['001-slow.sql']);
  });

  test('interrupted migration: runs again', async () => {
    write('001-long.sql', 'create table half (id int); select pg_sleep(60);');
    const cutOff = prepare().catch((error: unknown) => error);
    const victims = `select pg_terminate_backend(pid) as ok from pg_stat_activity
      where datname = current_database() and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`;
    await expect.poll(() => query(database.owner, victims)).toEqual([{ ok: true }]);
    expect(await cutOff).toMatchObject({ message: expect.stringMatching(/^Migration 001-long.sql failed/) });
    write('001-long.sql', 'create table half (id int)');
    expect((await prepare()).applied).toEqual(['001-long.sql']);
  });

  test.each([
    ['a changed migration', { '001-a.sql': 'select 2' }, /001-a.sql was changed/],
    ['a removed migration', { '001-a.sql': null }, /newer than this Roomside: it has migration 001-a.sql/],
    ['a number before an applied one', { '000-b.sql': 'select 1' }, /000-b.sql comes before 001-a.sql/],
    ['a number used twice', { '001-b.sql': 'select 1' }, /same number/],
    ['an invalid name', { 'b.sql': 'select 1' }, /not NNN-name.sql/],
    [
      'a transaction in a migration',
      { '002-b.sql': 'select 1;\nCOMMIT;\nselect 2' },
      /must not begin or end transactions/,
    ],
  ])('%s is refused', async (_case, change, message) => {
    write('001-a.sql', 'select 1');
    await prepare();
    for (const [name, sql] of Object.entries(change)) {
      if (sql === null) fs.rmSync(path.join(folder, name));
      else write(name, sql);
    }
    await expect(prepare()).rejects.toThrow(message);
  });

  test('begin and end in a function body are allowed', async () => {
    write('001-f.sql', 'create function f() returns void language plpgsql as $$\nbegin\nend;\n$$;');
    expect((await prepare()).applied).toHaveLength(1);
  });

  test('no-transaction: an index is built concurrently, and again when the first build was interrupted', async () => {
    write('001-a.sql', 'create table visitors (id int); insert into visitors values (1), (1);');
    write('002-b.sql', '-- no-transaction\ncreate unique index concurrently visitors_id on visitors (id)');
    await expect(prepare()).rejects.toThrow('Migration 002-b.sql failed: could not create unique index "visitors_id"');
    const valid = () =>
      query(database.owner, `select indisvalid as valid from pg_index where indrelid = 'visitors'::regclass`);
    expect(await valid()).toEqual([{ valid: false }]);
    await query(database.owner, 'update visitors set id = 2 where ctid = (select max(ctid) from visitors)');
    expect((await prepare()).applied).toEqual(['002-b.sql']);
    expect(await valid()).toEqual([{ valid: true }]);
  });
});

describe('functions', () => {
  const one = `create function one() returns int language sql security definer set search_path = public return 1;`;
  const writeFunction = (name: string, sql: string) => {
    fs.mkdirSync(path.join(folder, 'functions'), { recursive: true });
    write(path.join('functions', name), sql);
  };
  const listFunctions = () =>
    query<{ name: string; owner: string; callable: boolean }>(
      database.owner,
      `select proname as name, pg_get_userbyid(proowner) as owner,
         has_function_privilege('app_user', oid, 'execute') as callable
       from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
    );

  test('functions with security definer: belong to the definer’s role; only the application may call them', async () => {
    writeFunction('one.sql', one);
    await prepare();
    expect(await listFunctions()).toEqual([{ name: 'one', owner: 'roomside_definer', callable: true }]);
    const sql = `select has_function_privilege('roomside_auditor', 'one()', 'execute') as others`;
    expect(await query(database.owner, sql)).toEqual([{ others: false }]);
  });

  test('changed functions: are created again, whatever they return; removed ones are dropped; those of migrations stay', async () => {
    write('001-kept.sql', 'create function kept() returns int language sql return 0;');
    writeFunction('one.sql', one);
    writeFunction('two.sql', 'create function two() returns int language sql return 2;');
    await prepare();
    writeFunction('one.sql', one.replace('returns int', 'returns text').replace('return 1', `return 'one'`));
    fs.rmSync(path.join(folder, 'functions/two.sql'));
    expect((await prepare()).applied).toEqual([]);
    expect(await query(database.application, 'select one()')).toEqual([{ one: 'one' }]);
    expect((await listFunctions()).map(({ name }) => name)).toEqual(['kept', 'one']);
  });

  test('unchanged functions: are not created again', async () => {
    writeFunction('one.sql', one);
    const readOid = () => query(database.owner, `select 'one()'::regprocedure::oid as oid`);
    await prepare();
    const before = await readOid();
    await prepare();
    expect(await readOid()).toEqual(before);
  });

  test('function that fails: its file and line are named, and the functions stay as they were', async () => {
    writeFunction('one.sql', one);
    await prepare();
    writeFunction('two.sql', 'create function two() returns int language sql\nreturn nowhere();');
    await expect(prepare()).rejects.toThrow('functions/two.sql failed: function nowhere() does not exist (line 2)');
    expect(await query(database.application, 'select one()')).toEqual([{ one: 1 }]);
  });
});

describe('prepareDatabase: roles', () => {
  const as = 'select current_user as name, current_setting($$is_superuser$$) as super';

  test('the application connects as app_user', async () => {
    const { application } = await prepare();
    expect(await query(application, as)).toEqual([{ name: 'app_user', super: 'off' }]);
    const sql = `select rolname, rolcanlogin, rolsuper, rolbypassrls from pg_roles
      where rolname in ('app_user', 'roomside_definer') order by 1`;
    expect(await query(database.owner, sql)).toEqual([
      { rolname: 'app_user', rolcanlogin: true, rolsuper: false, rolbypassrls: false },
      { rolname: 'roomside_definer', rolcanlogin: false, rolsuper: false, rolbypassrls: true },
    ]);
  });

  test('one connection for both roles: the application gives up the owner’s rights', async () => {
    const { application } = await prepareDatabase({ owner: database.owner, now, folder });
    expect(await query(application, as)).toEqual([{ name: 'app_user', super: 'off' }]);
  });

  test('another role gets the rights of app_user', async () => {
    const application = await buildRole('clinic_web', '');
    write('001-a.sql', 'create table a (id int); grant select on a to app_user;');
    await prepare({ application });
    expect(await query(application, 'select * from a')).toEqual([]);
  });

  test.each([
    ['superuser', /clinic_strong is a superuser/],
    ['bypassrls', /clinic_strong may bypass row-level security/],
  ])('a role that is %s is refused', async (attributes, message) => {
    const application = await buildRole('clinic_strong', attributes);
    await expect(prepare({ application })).rejects.toThrow(message);
  });

  test('a database without UTF-8 is refused', async () => {
    const name = `ascii_${process.pid}`;
    await query(database.owner, `create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`);
    try {
      await expect(prepare({ owner: { ...database.owner, database: name } })).rejects.toThrow(
        "The database's encoding is SQL_ASCII, and has to be UTF8: create it with that.",
      );
    } finally {
      await query(database.owner, `drop database ${name}`);
    }
  });

  test('an owner without superuser rights migrates after an administrator has created the roles', async () => {
    const owner = await buildRole('clinic_owner', '');
    await query(database.owner, 'grant create on schema public to clinic_owner');
    await expect(prepare({ owner })).rejects.toThrow(
      new DatabaseSetupError(
        `The owner's database role may not do this; let an administrator run: grant app_user to "clinic_owner";`,
      ),
    );
    await query(database.owner, 'grant app_user, roomside_definer to clinic_owner');
    write('001-a.sql', 'create table a (id int)');
    expect((await prepare({ owner })).applied).toEqual(['001-a.sql']);
    await query(database.owner, 'drop owned by clinic_owner');
  });
});

const debian = process.env['PG15_BIN'] ?? '/usr/lib/postgresql/15/bin';
const without15 = fs.existsSync(path.join(debian, 'postgres')) ? false : `no PostgreSQL 15 in ${debian}`;

test('prepareDatabase: the migrations run on PostgreSQL 15', async ({ skip }) => {
  if (without15) skip(without15);
  const server = await startPostgres({
    dir: path.join(folder, 'postgres'),
    durable: false,
    binaries: { bin: debian, builtinLocale: false },
  });
  try {
    const owner = { host: server.host, port: server.port, user: server.user, database: 'postgres' };
    const { application } = await prepareDatabase({ owner, application: { ...owner, user: 'app_user' }, now });
    const [row] = await query<{ server_version: string }>(application, 'show server_version');
    expect(row?.server_version).toMatch(/^15\./);
  } finally {
    await server.stop();
  }
});
