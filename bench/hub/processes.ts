import { type Child, startChild } from './children.ts';
import type { ServerKind } from './kinds.ts';
import type { LoadMethods } from './load.ts';
import type { ServerMethods } from './serve.ts';

export interface Server extends Child<ServerMethods> {
  readonly port: number;
}
export type Load = Child<LoadMethods>;

/** Resolves when the server listens; port 0 takes a free one. */
export async function startServer(kind: ServerKind, port = 0): Promise<Server> {
  const child = startChild<ServerMethods>(['serve.ts', kind], { core: 0 });
  return { ...child, port: await child.call('listen', port) };
}

export function startLoad(): Load {
  return startChild<LoadMethods>(['load.ts'], { core: 1 });
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
