import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../signalr/test/free-port.ts';

const root = path.join(import.meta.dirname, '../..');

/** A running demo. */
export interface Demo {
  readonly url: string;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** A demo server as `npm start` runs it, in a separate process. */
export interface DemoServer extends Demo {
  /** kill -9, like a power failure. The built-in database ends with it. */
  kill(): Promise<void>;
  /** Starts again with the same data and port; returns the milliseconds until it served. */
  start(): Promise<number>;
  /** Removes its data, unless it is to be kept. */
  stop(data?: 'keep'): Promise<void>;
}

export const demoPassword = 'roomside-demo-2026';
/** The longest start of a server, beside others on a busy machine, ms. */
const startMs = 180_000;

/** Starts a demo with the data of a first start in a new folder, and waits until it serves. */
export async function startDemo(env: Record<string, string> = {}): Promise<DemoServer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-e2e-'));
  const { E2E_SCRATCH: scratch } = process.env;
  if (scratch !== undefined) {
    // With the owners: the database of root runs as another user.
    execFileSync('cp', ['-a', await firstStart(scratch), path.join(folder, 'data')]);
  }
  return runDemo(folder, env);
}

/** The data folder of a demo that was started once and stopped; created by the first caller in any process of the run. */
async function firstStart(scratch: string): Promise<string> {
  const data = path.join(scratch, 'data');
  if (createFolder(path.join(scratch, 'begun'))) {
    const unfinished = path.join(scratch, 'first');
    fs.mkdirSync(unfinished);
    await (await runDemo(unfinished, {})).stop('keep');
    fs.renameSync(path.join(unfinished, 'data'), data);
  }
  for (const from = performance.now(); !fs.existsSync(data); ) {
    if (performance.now() - from > startMs) throw new Error('The first start of the demo did not end.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return data;
}

/** Returns false when it exists already. */
function createFolder(folder: string): boolean {
  try {
    fs.mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function runDemo(folder: string, env: Record<string, string>): Promise<DemoServer> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  let child: ChildProcess | undefined;
  let output = '';

  const start = async () => {
    const from = performance.now();
    const own = {
      PORT: String(port),
      DATA_DIR: path.join(folder, 'data'),
      TZ: 'America/New_York',
      DRAIN_SECONDS: '0',
      ...env,
    };
    // The outer environment must not change the demo's settings.
    const { PUBLIC_URL: _p, SECRET_KEY: _s, DATABASE_URL: _d, npm_lifecycle_event: _n, ...outer } = process.env;
    const started = spawn(process.execPath, [path.join(root, 'server/src/main.ts')], {
      env: { ...outer, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    output = '';
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-20_000);
      });
    }
    for (;;) {
      if (started.exitCode !== null || started.signalCode !== null) throw new Error(`The server ended:\n${output}`);
      if (await answers(`${url}/ping`)) return performance.now() - from;
      if (performance.now() - from > startMs) throw new Error(`The server does not answer:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  // A test run that crashes must not leave a server running.
  process.on('exit', () => child?.kill('SIGKILL'));

  await start();
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    stop: async (data) => {
      await end('SIGTERM');
      if (data !== 'keep') fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
