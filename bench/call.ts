import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const program = path.join(import.meta.dirname, '../e2e/call-speed.ts');

/** Measures calls in a browser, in a separate process with the types of the browser. `count` is the number of alternations. */
export async function call(count = 5): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(count)]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, number>;
}
