import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './steps.ts';

/**
 * `npm run dev`: the demo's server, started again when a file of it changes, and Vite, which reloads the pages. The pages
 * are at the address that Vite prints; it passes requests of the server on.
 */
const commands = [
  [process.execPath, '--watch', '--watch-preserve-output', 'server/src/main.ts'],
  [path.join(root, 'node_modules/.bin/vite'), 'web'],
] as const;

const children = commands.map(([program, ...args]) => spawn(program, args, { cwd: root, stdio: 'inherit' }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
for (const child of children) {
  // One without the other is of no use.
  child.once('exit', (code) => {
    process.exitCode ||= code ?? 0;
    for (const other of children) other.kill('SIGTERM');
  });
}
