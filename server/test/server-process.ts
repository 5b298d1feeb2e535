import { once } from 'node:events';
import path from 'node:path';
import type pg from 'pg';
import { firstLine, startNode } from './start-node.ts';

/** Starts a server process over an existing database. `stop` kills it (SIGKILL). `demo` as in serve-app.ts. */
export async function startServer(
  database: pg.ClientConfig,
  env: Record<string, string> = {},
  demo?: string,
): Promise<{ url: string; setClock(ms: number): Promise<void>; stop(): Promise<void> }> {
  const child = startNode([path.join(import.meta.dirname, 'serve-app.ts')], {
    env: { ...process.env, SERVE_APP: JSON.stringify({ database, env, demo }), NODE_NO_WARNINGS: '1' },
  });
  const port = await firstLine(child);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url,
    /** Sets the server's clock to `ms` since the epoch. Repeated work runs immediately. */
    setClock: async (ms) => {
      const body = JSON.stringify({ now: new Date(ms).toISOString() });
      await fetch(`${url}/dev/clock`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    },
    stop,
  };
}
