import { execFile } from 'node:child_process';
import path from 'node:path';

/** Runs an operator's command (`server/src/NAME.ts`) with only `env` as settings. Returns exit code and output. */
export function runCommand(
  name: 'backup' | 'restore' | 'rotate-keys' | 'verify-audit' | 'export-patient' | 'erase-patient',
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const environment = { PATH, NODE_NO_WARNINGS: '1', ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env };
  const file = path.join(import.meta.dirname, `../src/${name}.ts`);
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { env: environment }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: `${stdout}${stderr}`.trim() }),
    );
  });
}
