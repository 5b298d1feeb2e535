import fs from 'node:fs';
import path from 'node:path';
import { root } from './steps.ts';

type Script = 'start' | 'start:production';

/** Node's flags with which package.json's script starts the server, such as `--expose-gc`. */
export const startFlags = (script: Script): string[] => wordsOf(script).filter((word) => word.startsWith('--'));

/** The environment that this script sets, such as `NODE_ENV`. */
export const startEnvironment = (script: Script): Record<string, string> =>
  Object.fromEntries(wordsOf(script).flatMap((word) => (/^[A-Z_]+=/.test(word) ? [word.split('=', 2)] : [])));

function wordsOf(script: Script): string[] {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return (scripts[script] ?? '').split(' ');
}
