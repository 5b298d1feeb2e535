import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type pg from 'pg';

/** Starts a server process over an existing database. `stop` kills it (SIGKILL). `demo` as in serve-app.ts. */
export async function startServer(
  database: pg.ClientConfig,
  env: Record<string, string> = {},
  demo?: string,
): Promise<{ url: string; setClock(ms: number): Promise<void>; stop(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [path.join(import.meta.dirname, 'serve-app.ts')], {
    env: { ...process.env, SERVE_APP: JSON.stringify({ database, env, demo }), NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')) as [string];
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    /** Sets the server's clock to `ms` since the epoch. Repeated work runs immediately. */
    setClock: async (ms) => {
      const body = JSON.stringify({ now: new Date(ms).toISOString() });
      await fetch(`${url}/dev/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
