import fs from 'node:fs';
import path from 'node:path';
import { root } from './steps.ts';

/** Node's flags with which package.json's script starts the server, such as `--expose-gc`. */
export function startFlags(script: 'start' | 'start:production'): string[] {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return (scripts[script] ?? '').split(' ').filter((word) => word.startsWith('--'));
}
