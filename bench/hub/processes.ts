import { type Child, startChild } from './children.ts';
import type { ServerKind } from './kinds.ts';
import type { LoadAnswers } from './load.ts';
import type { ServerAnswers } from './serve.ts';

export interface Server extends Child<ServerAnswers> {
  readonly port: number;
}
export type Load = Child<LoadAnswers>;

/** Resolves when it listens, on a free port where none is given. */
export async function startServer(kind: ServerKind, port = 0): Promise<Server> {
  const child = startChild<ServerAnswers>(['serve.ts', kind], { core: 0 });
  return { ...child, port: await child.call('listen', port) };
}

export function startLoad(): Load {
  return startChild<LoadAnswers>(['load.ts'], { core: 1 });
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
