import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNode } from '../../../test/start-node.ts';
import { type EmbeddedPostgres, startPostgres } from './embedded.ts';

let folder: string;
let dir: string;
const running: EmbeddedPostgres[] = [];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-embedded-test-'));
  dir = path.join(folder, 'postgres');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  fs.rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dir, durable: false });
  running.push(server);
  return server;
}

async function query(server: { host: string; port: number; user: string }, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ host: server.host, port: server.port, user: server.user, database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('startPostgres: starts in an empty folder and again in a used one, and removes its socket folder', async () => {
  const first = await start();
  await query(first, 'create table kept (id int); insert into kept values (7)');
  await first.stop();
  expect(fs.existsSync(first.host)).toBe(false);
  const second = await start();
  expect(await query(second, 'select id from kept')).toEqual([{ id: 7 }]);
});

test('startPostgres: refuses a folder whose server runs', async () => {
  const first = await start();
  await expect(startPostgres({ dir, durable: false })).rejects.toThrow(/already running \(process \d+\)/);
  expect(await query(first, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('startPostgres: starts although another process has the id of the dead server', async () => {
  await (await start()).stop();
  fs.writeFileSync(path.join(dir, 'postmaster.pid'), `${process.pid}\n${dir}\n1\n5432\n/tmp\n\n0 0\nready\n`);
  const again = await start();
  expect(await query(again, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('startPostgres: replaces an unfinished cluster', async () => {
  fs.mkdirSync(`${dir}.new`, { recursive: true });
  fs.writeFileSync(path.join(`${dir}.new`, 'PG_VERSION'), '18\n');
  expect(await query(await start(), 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('startPostgres: removes socket folders without a server', async () => {
  const leftOver = fs.mkdtempSync(path.join(path.dirname((await start()).host), 'roomside-pg-'));
  fs.utimesSync(leftOver, 0, 0);
  await running.splice(0)[0]?.stop();
  await start();
  expect(fs.existsSync(leftOver)).toBe(false);
});

test('startPostgres: waits for the server of a killed node to end', async () => {
  const module = fileURLToPath(new URL('embedded.ts', import.meta.url));
  const program = `
    const { startPostgres } = await import(${JSON.stringify(module)});
    const server = await startPostgres({ dir: ${JSON.stringify(dir)}, durable: true });
    process.stdout.write(JSON.stringify(server) + '\\n');
    setInterval(() => {}, 1000);`;
  const node = startNode(['--input-type=module', '-e', program]);
  const [line] = (await once(node.stdout, 'data')) as [Buffer];
  const other = JSON.parse(line.toString()) as { host: string; port: number; user: string };
  await query(other, 'create table kept (id int); insert into kept values (7)');
  const postmaster = Number(fs.readFileSync(path.join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  node.kill('SIGKILL');
  await once(node, 'exit');
  const again = await start();
  expect(() => process.kill(postmaster, 0)).toThrow('ESRCH');
  expect(await query(again, 'select id from kept')).toEqual([{ id: 7 }]);
  fs.rmSync(other.host, { recursive: true, force: true });
});

test('exited: resolves when the server has ended', async () => {
  const server = await start();
  const postmaster = Number(fs.readFileSync(path.join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(postmaster, 'SIGTERM');
  expect(await server.exited).toContain('shut down');
  running.length = 0;
});
