import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { startPostgres } from '../src/platform/postgres/embedded.ts';
import { startedServers } from './started-server.ts';

const { start, restartDemo, waitUntilServing, postgresPid, place } = startedServers();

const signIn = () =>
  fetch(`http://localhost:${place.port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: false, user: { email: 'doctor@demo.test', password: 'roomside-demo-2026' } }),
  });

describe('failed start', () => {
  test.each<[name: string, env: Record<string, string>, sentence: RegExp]>([
    ['a bad value', { PORT: 'eighty' }, /^PORT must be a whole number from 0 to 65535\.$/],
    ['a secret without an address', { SECRET_KEY: 'x'.repeat(32) }, /^PUBLIC_URL must be set/],
    ['an address without a secret', { PUBLIC_URL: 'https://x.example' }, /^SECRET_KEY must be set/],
    [
      'an unreachable database',
      {
        SECRET_KEY: 'x'.repeat(32),
        PUBLIC_URL: 'https://x.example',
        DATABASE_URL: 'postgres://user@127.0.0.1:1/none',
      },
      /^The database or a file cannot be reached: .*ECONNREFUSED.* Check DATABASE_URL and DATA_DIR\.$/,
    ],
  ])('%s: prints one sentence and exits with 1', async (_, env, sentence) => {
    const { code, output } = await start(env).exited;
    expect(output.trim()).toMatch(sentence);
    expect(code).toBe(1);
  });

  test('port or data folder in use: prints one sentence and exits with 1', async () => {
    const other = net.createServer().listen(place.port, '127.0.0.1');
    await once(other, 'listening');
    const taken = await start().exited;
    expect([taken.output.trim(), taken.code]).toEqual([
      `Port ${place.port} is taken: stop what uses it, or set PORT to another one.`,
      1,
    ]);
    other.close();
    await once(other, 'close');
    await restartDemo();
    const second = await start({ PORT: '0' }).exited;
    expect(second.output).toMatch(
      /^The data folder .* is in use by another Roomside \(process \d+\): stop that one first\.$/m,
    );
    expect(second.code).toBe(1);
  });
});

describe('demo', () => {
  test('prints its users, stops completely on SIGINT, and its folder is refused with real settings', async () => {
    const first = start();
    await waitUntilServing();
    // It is printed once the server listens.
    await expect.poll(first.output).toContain('doctor@demo.test');
    await expect.poll(first.output).toContain(`http://localhost:${place.port}`);
    first.child.kill('SIGINT');
    expect((await first.exited).code).toBe(0);
    expect(postgresPid()).toBeNull();
    const real = await start({ SECRET_KEY: 'x'.repeat(32), PUBLIC_URL: 'https://x.example' }).exited;
    expect([real.code, real.output]).toEqual([1, expect.stringContaining('belongs to a demo')]);
  });

  test('demo of an earlier version: its files are moved to another folder, and a new demo starts', async () => {
    const first = await restartDemo();
    first.child.kill('SIGTERM');
    await first.exited;
    const postgres = await startPostgres({ dir: path.join(place.folder, 'data/postgres'), durable: false });
    const client = new pg.Client({ ...postgres, database: 'postgres' });
    await client.connect();
    await client.query(`update schema_migrations set checksum = 'other' where name like '001-%'`);
    await client.end();
    await postgres.stop();
    const key = fs.readFileSync(path.join(place.folder, 'data/secret.key'), 'utf8');
    const second = start();
    await waitUntilServing();
    const [aside = ''] = fs.readdirSync(place.folder).filter((name) => name.startsWith('data-before-'));
    expect(second.output()).toContain(
      `The demo in ${place.folder}/data was made by another version. It was moved to ${place.folder}/${aside}; a new one begins.`,
    );
    expect(fs.readFileSync(path.join(place.folder, aside, 'secret.key'), 'utf8')).toBe(key);
    expect(fs.existsSync(path.join(place.folder, aside, 'postgres/PG_VERSION'))).toBe(true);
    expect((await signIn()).status).toBe(200);
  });

  test('serves its own machine only, and no proxy', async () => {
    await restartDemo();
    const status = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const socket = net.connect(place.port, '127.0.0.1', () => {
          const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(
            ([name, value]) => `${name}: ${value}`,
          );
          socket.write(`GET /ping HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
        });
        socket.on('data', (chunk: Buffer) => resolve(Number(chunk.toString().split(' ')[1])));
        socket.on('error', reject);
      });
    expect(await status({})).toBe(200);
    expect(await status({ host: '[::1]:3000' })).toBe(200);
    expect(await status({ host: 'demo.example.com' })).toBe(421);
    expect(await status({ host: 'localhost.example.com' })).toBe(421);
    for (const header of ['x-forwarded-for', 'forwarded', 'x-forwarded-host', 'via'])
      expect(await status({ [header]: 'x' })).toBe(421);
  });

  test('killed with -9: starts again with its data', async () => {
    const first = await restartDemo();
    expect((await signIn()).status).toBe(200);
    first.child.kill('SIGKILL');
    await first.exited;
    const from = performance.now();
    start();
    await waitUntilServing();
    expect(performance.now() - from).toBeLessThan(20_000);
    expect((await signIn()).status).toBe(200);
  });

  test('npm killed with -9: the server ends', async () => {
    const root = path.join(import.meta.dirname, '../..');
    const npm = await restartDemo({}, ['npm', '--prefix', root, '--silent', 'run', 'start', '--ignore-scripts']);
    expect(postgresPid()).not.toBeNull();
    npm.child.kill('SIGKILL');
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${place.port}/ping`).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
    await expect.poll(postgresPid).toBeNull();
  });
});
