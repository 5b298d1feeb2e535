import { type ChildProcess, execFile } from 'node:child_process';
import path from 'node:path';

type Name = 'backup' | 'restore' | 'rotate-keys' | 'verify-audit' | 'export-patient' | 'erase-patient';

/** Starts an operator's command (`server/src/NAME.ts`) with only `env` as settings. `ended`: exit code and output. */
export function startCommand(
  name: Name,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): { child: ChildProcess; ended: Promise<{ code: number; output: string }> } {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const environment = { PATH, NODE_NO_WARNINGS: '1', ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env };
  const file = path.join(import.meta.dirname, `../src/${name}.ts`);
  const { promise: ended, resolve } = Promise.withResolvers<{ code: number; output: string }>();
  const child = execFile(process.execPath, [file, ...args], { env: environment }, (error, stdout, stderr) =>
    resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}`.trim() }),
  );
  return { child, ended };
}

/** As {@link startCommand}, and waits for its end. */
export const runCommand = (...command: Parameters<typeof startCommand>): Promise<{ code: number; output: string }> =>
  startCommand(...command).ended;
