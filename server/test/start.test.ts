import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** The server as a person starts it: a process with an environment, an exit code and words. */
const main = path.join(import.meta.dirname, '../src/main.ts');
let folder: string;
let port: number;
let running: ChildProcess[] = [];

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-start-'));
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  ({ port } = probe.address() as net.AddressInfo);
  probe.close();
  await once(probe, 'close');
});

afterEach(async () => {
  for (const child of running) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  running = [];
  // The database needs a moment to notice.
  const from = Date.now();
  while (postgresPid() !== null && Date.now() - from < 5000) await pause(20);
  fs.rmSync(folder, { recursive: true, force: true });
});

const data = () => path.join(folder, 'data');

function start(env: Record<string, string> = {}, command: readonly [string, ...string[]] = [process.execPath, main]) {
  const { PUBLIC_URL: _p, SECRET_KEY: _s, DATABASE_URL: _d, npm_lifecycle_event: _n, ...outer } = process.env;
  const [program, ...args] = command;
  const own = { PORT: String(port), DATA_DIR: data(), NODE_NO_WARNINGS: '1', ...env };
  const child = spawn(program, args, { env: { ...outer, ...own }, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exited = once(child, 'exit').then(([code]) => ({ code: code as number | null, output }));
  return { child, exited, output: () => output };
}

async function serves(): Promise<void> {
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/ping`).then(
          (r) => r.ok,
          () => false,
        ),
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
}

/** The built-in database's process, if it lives. */
function postgresPid(): number | null {
  try {
    const pid = Number(fs.readFileSync(path.join(data(), 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

const signIn = () =>
  fetch(`http://localhost:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: false, user: { email: 'doctor@demo.test', password: 'roomside-demo-2026' } }),
  });

describe('a wrong start is one sentence and exit code 1', () => {
  test.each<[name: string, env: Record<string, string>, sentence: RegExp]>([
    ['a bad value', { PORT: 'eighty' }, /^PORT must be a whole number from 0 to 65535\.$/],
    ['a secret without an address', { SECRET_KEY: 'x'.repeat(32) }, /^PUBLIC_URL must be set/],
    ['an address without a secret', { PUBLIC_URL: 'https://x.example' }, /^SECRET_KEY must be set/],
    [
      'an unreachable database',
      {
        SECRET_KEY: 'x'.repeat(32),
        PUBLIC_URL: 'https://x.example',
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      },
      /^The database or a file cannot be reached: .*ECONNREFUSED.* Check DATABASE_URL and DATA_DIR\.$/,
    ],
  ])('%s', async (_, env, sentence) => {
    const { code, output } = await start(env).exited;
    expect(output.trim()).toMatch(sentence);
    expect(code).toBe(1);
  });

  test('a taken port; and a data folder in use', async () => {
    const other = net.createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const taken = await start().exited;
    expect([taken.output.trim(), taken.code]).toEqual([
      `Port ${port} is taken: stop what uses it, or set PORT to another one.`,
      1,
    ]);
    other.close();
    await once(other, 'close');
    start();
    await serves();
    const second = await start({ PORT: '0' }).exited;
    expect(second.output).toMatch(
      /^The data folder .* is in use by another Roomside \(process \d+\): stop that one first\.$/m,
    );
    expect(second.code).toBe(1);
  }, 60_000);
});

describe('a demo', () => {
  test('says who to sign in as, stops all of it on SIGINT, and never becomes anything else', async () => {
    const first = start();
    await serves();
    expect(first.output()).toContain('doctor@demo.test');
    expect(first.output()).toContain(`http://localhost:${port}`);
    first.child.kill('SIGINT');
    expect((await first.exited).code).toBe(0);
    expect(postgresPid()).toBeNull();
    const real = await start({ SECRET_KEY: 'x'.repeat(32), PUBLIC_URL: 'https://x.example' }).exited;
    expect([real.code, real.output]).toEqual([1, expect.stringContaining('belongs to a demo')]);
  }, 60_000);

  test('answers its own machine only, and without a proxy in front', async () => {
    start();
    await serves();
    const status = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const socket = net.connect(port, '127.0.0.1', () => {
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
  }, 60_000);

  test('killed with -9 leaves nothing behind and loses nothing', async () => {
    const first = start();
    await serves();
    expect((await signIn()).status).toBe(200);
    first.child.kill('SIGKILL');
    await first.exited;
    const from = performance.now();
    start();
    await serves();
    expect(performance.now() - from).toBeLessThan(20_000);
    expect((await signIn()).status).toBe(200);
  }, 60_000);

  test('ends when npm is killed with -9', async () => {
    const root = path.join(import.meta.dirname, '../..');
    const npm = start({}, ['npm', '--prefix', root, '--silent', 'run', 'start', '--ignore-scripts']);
    await serves();
    expect(postgresPid()).not.toBeNull();
    npm.child.kill('SIGKILL');
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${port}/ping`).then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(false);
    await expect.poll(postgresPid, { timeout: 10_000 }).toBeNull();
  }, 60_000);
});
