import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { startFlags } from '../../scripts/start-flags.ts';
import type { BusyQuery } from '../src/features/calendars/busy-events.ts';
import { administrator, startedServers } from './started-server.ts';

const { start, prepareDataFolder, waitUntilServing, postgresPid, place, installation, firstSuper, signIn } =
  startedServers();

/** Creates an empty database in the tests' cluster, with one role as its owner and another one for the application. */
async function createExternalDatabase() {
  const cluster = inject('cluster');
  const id = `start_${process.pid}_${Date.now()}`;
  const [owner, plain] = [`${id}_owner`, `${id}_plain`];
  const admin = new pg.Client({ ...cluster, database: 'postgres' });
  await admin.connect();
  await admin.query(`create role ${owner} login`);
  await admin.query(`create role ${plain} login`);
  await admin.query(`grant app_user, roomside_definer to ${owner}`);
  await admin.query(`grant app_user to ${plain}`);
  await admin.query(`create database ${id} owner ${owner}`);
  onTestFinished(async () => {
    await admin.query(`drop database ${id} with (force)`);
    await admin.query(`drop role ${owner}, ${plain}`);
    await admin.end();
  });
  const url = (role: string) =>
    `postgres://${role}@localhost:${cluster.port}/${id}?host=${encodeURIComponent(cluster.host)}`;
  const query = async (sql: string) => {
    const client = new pg.Client({ ...cluster, database: id });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  };
  return { owner, plain, env: { DATABASE_URL: url(plain), DATABASE_OWNER_URL: url(owner) }, query };
}

describe('server with an external database', () => {
  test('empty database with the folder of an installation that has been used: is refused and stays empty', async () => {
    const { env, query } = await createExternalDatabase();
    const data = path.join(place.folder, 'data');
    fs.mkdirSync(data, { recursive: true });
    fs.writeFileSync(path.join(data, 'installed'), 'The database is elsewhere.\n');
    const { code, output } = await start({ ...installation(), ...env }).exited;
    expect([code, output.trim()]).toEqual([
      1,
      'The database is empty, but DATA_DIR is of an installation that has been used: check DATABASE_URL, or restore a backup into a new folder and database.',
    ]);
    expect(await query(`select from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  test('the owner creates the tables, the other role uses them, no built-in database runs; TRUST_PROXY trusts a proxy', async () => {
    const { owner, plain, env, query } = await createExternalDatabase();
    const one = start({ ...installation(), ...env, ...firstSuper });
    await waitUntilServing();
    // It is printed once the server listens.
    await expect.poll(one.output).toContain(`Roomside listens on 127.0.0.1:${place.port}`);
    const signInBehindProxy = async () => {
      expect((await signIn({ 'x-forwarded-for': '203.0.113.7' })).status).toBe(200);
      return query(`select address from audit_log where action = 'login' order by audit_id desc limit 1`);
    };
    expect(await signInBehindProxy()).toEqual([{ address: '127.0.0.1' }]);
    expect(postgresPid()).toBeNull();
    expect(await query(`select distinct tableowner as name from pg_tables where schemaname = 'public'`)).toEqual([
      { name: owner },
    ]);
    // The owner's connections may still be ending.
    const users = () =>
      query(`select distinct usename as name from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and backend_type = 'client backend'`);
    await expect.poll(users).toEqual([{ name: plain }]);
    one.child.kill('SIGTERM');
    expect((await one.exited).code).toBe(0);
    // The folder has recorded that its database is elsewhere.
    const without = await start(installation()).exited;
    expect([without.code, without.output]).toEqual([
      1,
      expect.stringContaining('is not in this folder: set DATABASE_URL'),
    ]);
    // A second start uses the existing tables.
    start({ ...installation(), ...env, TRUST_PROXY: '10.0.0.0/8, 127.0.0.1' });
    await waitUntilServing();
    expect(await signInBehindProxy()).toEqual([{ address: '203.0.113.7' }]);
  });
});

test('built server: starts without type stripping, is ready, signs in, and reads calendars in a thread', async () => {
  const repository = path.join(import.meta.dirname, '../..');
  execFileSync(process.execPath, [path.join(repository, 'scripts/build-server.ts')], { cwd: repository });
  const main = path.join(repository, 'server/dist/main.js');
  const { env } = await createExternalDatabase();
  const flags = [...startFlags('start:production'), '--no-strip-types'];
  const built = start({ ...installation(), ...env, ...firstSuper }, [process.execPath, ...flags, main]);
  await waitUntilServing();
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${place.port}/ready`)).status).toBe(200);
  expect((await signIn()).status).toBe(200);
  built.child.kill('SIGTERM');
  expect((await built.exited).code).toBe(0);
  const [from, until] = [Date.parse('2026-03-02T09:00Z'), Date.parse('2026-03-02T10:00Z')];
  const event = 'BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260302T090000Z\r\nDTEND:20260302T100000Z\r\nEND:VEVENT';
  const text = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\n${event}\r\nEND:VCALENDAR\r\n`;
  const reading = new Worker(path.join(path.dirname(main), 'calendar-worker.js'), {
    workerData: { text, timeZone: 'UTC', from, until } satisfies BusyQuery,
    execArgv: ['--no-strip-types'],
  });
  onTestFinished(async () => void (await reading.terminate()));
  expect(await once(reading, 'message')).toEqual([{ events: { busy: [{ start: from, end: until }], own: [] } }]);
});

const openssl = process.env['OPENSSL'] ?? 'openssl';
const withoutOpenssl = spawnSync(openssl, ['version']).error ? 'openssl is missing' : false;

test('TLS_CERT and TLS_KEY: the server uses https without a proxy', async ({ skip }) => {
  if (withoutOpenssl) skip(withoutOpenssl);
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => path.join(place.folder, name)) as [string, string];
  const requestArgs = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  const subjectArgs = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(openssl, [...requestArgs, ...subjectArgs, '-out', cert, '-keyout', key], { stdio: 'ignore' });
  const { env } = await createExternalDatabase();
  const settings = { ...installation(), PUBLIC_URL: `https://localhost:${place.port}`, TLS_CERT: cert, TLS_KEY: key };
  start({ ...settings, ...env, ...firstSuper });
  const send = (options: https.RequestOptions, body?: string) =>
    new Promise<{ status: number | undefined; cookie: string }>((resolve, reject) => {
      const to = { host: '127.0.0.1', port: place.port, servername: 'localhost', agent: false as const };
      const request = https.request({ ...to, ca: fs.readFileSync(cert), ...options }, (response) => {
        response.resume();
        resolve({ status: response.statusCode, cookie: String(response.headers['set-cookie']) });
      });
      request.on('error', reject);
      request.end(body);
    });
  await expect
    .poll(
      () =>
        send({ path: '/ping' }).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 30_000, interval: 50 },
    )
    .toBe(200);
  const body = JSON.stringify({ isPatient: false, user: administrator });
  const headers = { 'content-type': 'application/json' };
  const signedIn = await send({ method: 'POST', path: '/api/auth/login', headers }, body);
  expect(signedIn.status).toBe(200);
  expect(signedIn.cookie).toMatch(/; Secure/);
  await expect(fetch(`http://127.0.0.1:${place.port}/ping`)).rejects.toThrow('fetch failed');
});

describe('server with the built-in database', () => {
  const createDataFolder = async () => {
    await prepareDataFolder('installation');
    return path.join(place.folder, 'data');
  };
  const listing = (folder: string) =>
    fs
      .readdirSync(folder)
      .filter((name) => name !== 'lock' && !name.startsWith('audit-anchors'))
      .sort();

  test('data folder without its database: is refused and stays unchanged', async () => {
    const data = await createDataFolder();
    fs.renameSync(path.join(data, 'postgres'), path.join(place.folder, 'postgres-away'));
    const before = listing(data);
    const again = await start(installation()).exited;
    expect([again.code, again.output.trim()]).toEqual([
      1,
      `The database of DATA_DIR ${data} is gone (its folder postgres is missing): mount it again, or restore a backup into a new folder.`,
    ]);
    expect(listing(data)).toEqual(before);
  });

  test('database of another major version: is refused with instructions and stays unchanged', async () => {
    const data = await createDataFolder();
    const file = path.join(data, 'postgres/PG_VERSION');
    fs.writeFileSync(file, '17\n');
    const before = listing(data);
    const again = await start(installation()).exited;
    expect(again.code).toBe(1);
    expect(again.output.trim()).toMatch(
      /^The database in .* was made by PostgreSQL 17, and this Roomside brings PostgreSQL 18: make a backup .* \(npm run backup\), then restore .* \(npm run restore\)\.$/,
    );
    expect(listing(data)).toEqual(before);
  });
});
