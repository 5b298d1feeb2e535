import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../signalr/test/free-port.ts';
import { openFront } from './front.ts';
import type { Demo } from './server.ts';

const tests = path.join(import.meta.dirname, '../../server/test');

/** The path of redis-server, or null when it is not installed. */
export const redisProgram =
  ['redis-server', '/usr/bin/redis-server'].find((program) => !spawnSync(program, ['--version']).error) ?? null;

/** One of several instances of the same installation. */
export interface Process {
  /** An address that prefers this instance, and uses the other one when it is down. */
  readonly url: string;
  /** kill -9. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Two instances of a demo with one database and one Redis, each with a front that prefers it. */
export async function startProcesses(): Promise<{ one: Process; two: Process; stop(): Promise<void> }> {
  const { run, startCluster, stop } = startChildren();
  const redisPort = await freePort();
  const redis = run(redisProgram ?? 'redis-server', ['--port', String(redisPort), '--save', '', '--bind', '127.0.0.1']);
  await line(redis, /Ready to accept/);
  const database = await startCluster();
  const ports = [await freePort(), await freePort()] as const;
  const make = async (own: 0 | 1): Promise<Process> => {
    const order = own === 0 ? ports : ([ports[1], ports[0]] as const);
    const front = await openFront(() => order);
    fronts.push(front);
    let child: ChildProcess | undefined;
    return {
      url: front.url,
      async start() {
        const env = { REDIS_URL: `redis://127.0.0.1:${redisPort}` };
        child = run(process.execPath, [path.join(tests, 'serve-app.ts')], {
          SERVE_APP: JSON.stringify({ database, env, demo: front.url, port: ports[own] }),
        });
        await line(child, /^\d+$/);
      },
      async kill() {
        if (!child || child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      },
    };
  };
  const fronts: { close(): void }[] = [];
  const [one, two] = [await make(0), await make(1)];
  await one.start();
  await two.start();
  return {
    one,
    two,
    async stop() {
      for (const front of fronts) front.close();
      await Promise.all([one.kill(), two.kill()]);
      await stop();
    },
  };
}

/** A demo whose time begins at `now` (ISO), so that its data are the same each time. */
export const startDemoAt = (now: string): Promise<Demo> => serveDemo({ now });

/** A demo whose patients pay by card. */
export const startDemoWithCards = (): Promise<Demo> => serveDemo({ takesCards: true });

async function serveDemo(options: { now?: string; takesCards?: boolean }): Promise<Demo> {
  const { run, startCluster, stop } = startChildren();
  const database = await startCluster();
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const child = run(process.execPath, [path.join(tests, 'serve-app.ts')], {
    TZ: 'America/New_York',
    SERVE_APP: JSON.stringify({ database, demo: url, port, ...options }),
  });
  await line(child, /^\d+$/);
  return {
    url,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await stop();
    },
  };
}

/** Starts child processes that end with this one. */
function startChildren() {
  const children = new Set<ChildProcess>();
  const run = (program: string, args: readonly string[], env: Record<string, string> = {}) => {
    const child = spawn(program, args, {
      env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));
  let cluster: ChildProcess | undefined;
  return {
    run,
    /** Starts a database. Returns how to connect to it. */
    async startCluster(): Promise<unknown> {
      cluster = run(process.execPath, [path.join(tests, 'serve-cluster.ts')]);
      return JSON.parse(await line(cluster, /^\{/));
    },
    /** Ends the database, then the other processes. */
    async stop() {
      if (cluster) {
        const ended = once(cluster, 'exit');
        cluster.stdin?.end();
        await ended;
      }
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

/** The first line of an instance's output that matches. */
async function line(child: ChildProcess, form: RegExp): Promise<string> {
  const lines = createInterface(child.stdout as NodeJS.ReadableStream);
  const ended = once(child, 'exit').then(() => {
    throw new Error('A process ended before it was ready.');
  });
  const found = (async () => {
    for await (const text of lines) if (form.test(text)) return text;
    return '';
  })();
  return Promise.race([found, ended]);
}
