import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchCluster } from './cluster.ts';

export interface Server {
  port: number;
  stop(): Promise<void>;
}

/** Starts `serve.ts` in a separate process, so that the servers do not share a garbage collector. */
export async function startServer(
  kind: 'ours' | 'reference',
  cluster: BenchCluster,
  companyId: number,
  /** Further settings of the server. */
  settings: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const { application, owner } = cluster;
  const env = { ...process.env, BENCH: JSON.stringify({ application, owner, companyId, settings }) };
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'serve.ts'), kind], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    port: Number(line),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
