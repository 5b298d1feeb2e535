import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startFlags } from '../../scripts/start-flags.ts';
import { firstLine } from '../../server/test/start-node.ts';
import type { BenchCluster } from './cluster.ts';

export interface Server {
  port: number;
  pid: number;
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
  return startProgram('serve.ts', [kind], env);
}

/** Starts the plain server of files (`serve-files.ts`) in a separate process. */
export const startFileServer = (folder: string): Promise<Server> =>
  startProgram('serve-files.ts', [folder], process.env);

/** Starts a program of this folder; it prints its port as its first line. */
async function startProgram(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Server> {
  const child = spawn(process.execPath, [...startFlags('start'), path.join(import.meta.dirname, program), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => child.kill('SIGKILL'));
  return {
    port: Number(await firstLine(child)),
    pid: child.pid ?? 0,
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
