import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject } from 'vitest';

const main = path.join(import.meta.dirname, '../src/main.ts');

/** Who administers an installation that {@link startedServers} set up. */
export const administrator = { email: 'root@clinic.test', password: 'roomside-2026-root' };
export const installationKey = 'first-secret-first-secret-first-secret';

/**
 * The server as a person starts it: a process with an environment, an exit code and words. Each test gets a folder and a
 * port of its own; what still runs after it is ended.
 */
export function startedServers() {
  const place = { folder: '', port: 0 };
  let running: ChildProcess[] = [];

  beforeEach(async () => {
    place.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-start-'));
    const probe = net.createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    place.port = (probe.address() as net.AddressInfo).port;
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
    fs.rmSync(place.folder, { recursive: true, force: true });
  });

  const data = () => path.join(place.folder, 'data');

  function start(env: Record<string, string> = {}, command: readonly [string, ...string[]] = [process.execPath, main]) {
    const { PUBLIC_URL: _p, SECRET_KEY: _s, DATABASE_URL: _d, npm_lifecycle_event: _n, ...outer } = process.env;
    const [program, ...args] = command;
    const own = { PORT: String(place.port), DATA_DIR: data(), NODE_NO_WARNINGS: '1', ...env };
    const child = spawn(program, args, { env: { ...outer, ...own }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const exited = once(child, 'exit').then(([code]) => ({ code: code as number | null, output }));
    return { child, exited, output: () => output };
  }

  /** With its owners: root's database runs as somebody else. */
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

  /**
   * Fills the data folder as a first start leaves it, with the built-in database. That start is made once in the whole
   * run: other tests wait for it and take a copy.
   */
  async function setUp(kind: 'demo' | 'installation'): Promise<void> {
    const kept = path.join(inject('scratch'), kind);
    if (!makeOnce(`${kept}.begun`)) {
      await expect.poll(() => fs.existsSync(kept), { timeout: 40_000, interval: 50 }).toBe(true);
      copy(kept, data());
      return;
    }
    const first = start(kind === 'demo' ? {} : { ...installation(), ...firstSuper });
    await serves();
    first.child.kill('SIGTERM');
    await first.exited;
    copy(data(), `${kept}.new`);
    fs.renameSync(`${kept}.new`, kept);
  }

  const firstSuper = { SUPER_EMAIL: administrator.email, SUPER_PASSWORD: administrator.password };
  /** The settings of an installation that {@link setUp} made. */
  const installation = () => ({ PUBLIC_URL: `http://localhost:${place.port}`, SECRET_KEY: installationKey });

  /** Starts a demo that was started before. */
  async function startAgain(...options: Parameters<typeof start>) {
    await setUp('demo');
    const again = start(...options);
    await serves();
    return again;
  }

  /** Signs the administrator in; gives the answer. */
  const signIn = (headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${place.port}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ isPatient: false, user: administrator }),
    });

  /** Waits until it answers. */
  async function serves(): Promise<void> {
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${place.port}/ping`).then(
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

  return { place, start, startAgain, setUp, installation, firstSuper, signIn, serves, postgresPid };
}

/** Makes a folder; false where another process made it. */
function makeOnce(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
