import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** Runs a program of e2e in a separate process with the types of the browser. The last line of its output is the result. */
async function inBrowser(program: string, count: number): Promise<Record<string, number>> {
  const file = path.join(import.meta.dirname, '../e2e', program);
  const { stdout } = await promisify(execFile)(process.execPath, [file, String(count)]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, number>;
}

/** Measures calls of two in a browser. `count` is the number of alternations. */
export const call = (count = 5): Promise<Record<string, number>> => inBrowser('call-speed.ts', count);

/** Measures a visit of four in a browser. `count` is the number of alternations. */
export const visit4 = (count = 3): Promise<Record<string, number>> => inBrowser('group-speed.ts', count);
