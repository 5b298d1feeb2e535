import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Node's compile cache: it halves the start time of the server, which tests start many times. */
const compileCache = path.join(root, 'node_modules/.cache/node-compile');

/** One command of `npm run check` or `npm test`. */
export interface Step {
  readonly name: string;
  /** A program of node_modules/.bin, or `node`, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Prints the output immediately, instead of only at the end of a failed step. */
  readonly live?: boolean;
}

/** Runs `work` and returns its result and duration. */
export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1000 };
}

/** Runs one step in the repository's folder and prints its name, result and duration. Returns whether it succeeded. */
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
  // JavaScript tools start with `env node`: PATH makes it the pinned Node, also when npm has not set PATH.
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
