import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject } from 'vitest';
import { freePort } from '../../signalr/test/free-port.ts';

const main = path.join(import.meta.dirname, '../src/main.ts');

/** The Super of an installation that {@link startedServers} has created. */
export const administrator = { email: 'root@clinic.test', password: 'roomside-2026-root' };
export const installationKey = 'first-secret-first-secret-first-secret';

/** Starts the server as a process, by its environment. Each test gets its own folder and port. Ends the processes after it. */
export function startedServers() {
  const place = { folder: '', port: 0 };
  let running: ChildProcess[] = [];

  beforeEach(async () => {
    place.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-start-'));
    place.port = await freePort();
  });

  afterEach(async () => {
    for (const child of running) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    running = [];
    // Waits until the database has ended, too.
    const from = Date.now();
    while (postgresPid() !== null && Date.now() - from < 5000) await pause(20);
    fs.rmSync(place.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });

  const data = () => path.join(place.folder, 'data');

  function start(env: Record<string, string> = {}, command: readonly [string, ...string[]] = [process.execPath, main]) {
    const { PUBLIC_URL: _p, SECRET_KEY: _s, DATABASE_URL: _d, npm_lifecycle_event: _n, ...outer } = process.env;
    const [program, ...args] = command;
    const settings = { PORT: String(place.port), DATA_DIR: data(), NODE_NO_WARNINGS: '1', ...env };
    const child = spawn(program, args, { env: { ...outer, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const exited = once(child, 'exit').then(([code]) => ({ code: code as number | null, output }));
    return { child, exited, output: () => output };
  }

  /** Copies with owners, since root's database runs as another account. */
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

  /**
   * Fills the data folder as after a first start with the built-in database. That start happens once per test run; other
   * tests wait for it and copy its folder.
   */
  async function prepareDataFolder(kind: 'demo' | 'installation'): Promise<void> {
    const kept = path.join(inject('scratch'), kind);
    if (!createFolder(`${kept}.begun`)) {
      await expect.poll(() => fs.existsSync(kept), { timeout: 60_000, interval: 50 }).toBe(true);
      copy(kept, data());
      return;
    }
    const first = start(kind === 'demo' ? {} : { ...installation(), ...firstSuper });
    await waitUntilServing();
    first.child.kill('SIGTERM');
    await first.exited;
    copy(data(), `${kept}.new`);
    fs.renameSync(`${kept}.new`, kept);
  }

  const firstSuper = { SUPER_EMAIL: administrator.email, SUPER_PASSWORD: administrator.password };
  /** The settings of an installation that {@link prepareDataFolder} has created. */
  const installation = () => ({ PUBLIC_URL: `http://localhost:${place.port}`, SECRET_KEY: installationKey });

  /** Starts a demo that was started before. */
  async function restartDemo(...options: Parameters<typeof start>) {
    await prepareDataFolder('demo');
    const restarted = start(...options);
    await waitUntilServing();
    return restarted;
  }

  /** Signs the Super in. Returns the response. */
  const signIn = (headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${place.port}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ isPatient: false, user: administrator }),
    });

  /** Waits until the server responds. */
  async function waitUntilServing(): Promise<void> {
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

  /** The process id of the built-in database; null when it does not run. */
  function postgresPid(): number | null {
    try {
      const pid = Number(fs.readFileSync(path.join(data(), 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
      process.kill(pid, 0);
      return pid;
    } catch {
      return null;
    }
  }

  return {
    place,
    start,
    restartDemo,
    prepareDataFolder,
    installation,
    firstSuper,
    signIn,
    waitUntilServing,
    postgresPid,
  };
}

/** Creates a folder. Returns false when it exists. */
function createFolder(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
