import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Where Node keeps what it compiled: tests start the server many times, each half as long with it. */
const compileCache = path.join(root, 'node_modules/.cache/node-compile');

/** One command of the gate. */
export interface Step {
  readonly name: string;
  /** A program of node_modules/.bin, or `node`, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Show the output as it comes, instead of only that of a failure at the end. */
  readonly live?: boolean;
}

/** Runs `work`; returns what it returns, and how long it took. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1000 };
}

/** Runs one step in the repository's folder and prints its name, result and time. Returns whether it succeeded. */
export async function runStep(step: Step): Promise<{ ok: boolean; seconds: number }> {
  const {
    result: { ok, output },
    seconds,
  } = await timed(() => run(step));
  console.log(`${ok ? '✓' : '✗'} ${step.name} (${seconds.toFixed(1)} s)`);
  if (!ok) console.log(output.trimEnd());
  return { ok, seconds };
}

async function run({ command: [program, ...args], env = {}, live = false }: Step) {
  const file = program === 'node' ? process.execPath : path.join(root, 'node_modules/.bin', program);
  // Tools written in JavaScript start by `env node`: that must be the pinned one, also without npm in front.
  const searchPath = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
  const child = spawn(file, args, {
    cwd: root,
    env: { ...process.env, PATH: searchPath, NODE_COMPILE_CACHE: compileCache, ...env },
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
  return { ok, output };
}
