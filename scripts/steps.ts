import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** One command of the gate. */
export interface Step {
  readonly name: string;
  /** A program of node_modules/.bin, or `node`, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Show the output as it comes, instead of only that of a failure at the end. */
  readonly live?: boolean;
}

/** Runs one step in the repository's folder and prints its name, result and time; true when it succeeded. */
export async function runStep({ name, command: [program, ...args], env = {}, live = false }: Step): Promise<boolean> {
  const start = performance.now();
  const file = program === 'node' ? process.execPath : path.join(root, 'node_modules/.bin', program);
  // Tools written in JavaScript start by `env node`: that must be the pinned one, also without npm in front.
  const searchPath = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
  const child = spawn(file, args, {
    cwd: root,
    env: { ...process.env, PATH: searchPath, ...env },
    stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ok = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds} s)`);
  if (!ok) console.log(output.trimEnd());
  return ok;
}

/** What a run of tests came to; written by the reporters, one file each. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly { readonly title: string; readonly reason: string }[];
}

/** A busy machine may fail a test of real browsers and processes once; the second try counts, and is never kept quiet. */
export function sayRetried(title: string): void {
  process.stdout.write(`passed at the second try only: ${title}\n`);
}
