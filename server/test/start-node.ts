import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterFile } from './after-file.ts';

/**
 * Starts a node process of a test and shows its errors. It is killed after the test file. It gets no stream of this process: Vitest waits until
 * all who hold the streams of its workers have ended, so that one process left over would keep a whole run from ending.
 */
export function startNode(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, args, { ...options, stdio: 'pipe' });
  afterFile(() => child.kill('SIGKILL'));
  child.stderr.on('data', (text: Buffer) => process.stderr.write(text));
  // A process that has ended takes no input.
  child.stdin.on('error', () => {});
  return child;
}

/** Waits for the first line that a process prints. @throws Error when it ends before */
export async function firstLine({ stdout }: { readonly stdout: Readable }): Promise<string> {
  const lines = createInterface(stdout);
  const ended = once(lines, 'close').then(() => {
    throw new Error('The process ended before it was ready.');
  });
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  return line;
}
