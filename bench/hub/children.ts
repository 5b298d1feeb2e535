import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

type Calls = Record<string, (...args: never[]) => unknown>;

/** A separate process with the methods of `Methods`. */
export interface Child<Methods extends Calls> {
  call<Name extends keyof Methods & string>(
    name: Name,
    ...args: Parameters<Methods[Name]>
  ): Promise<Awaited<ReturnType<Methods[Name]>>>;
  /** Lets the process exit normally, so that a profile is written. */
  stop(): Promise<void>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
}

interface Request {
  id: number;
  name: string;
  args: never[];
}

interface Reply {
  id: number;
  value?: unknown;
  error?: string;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Whether processes can be pinned to cores, so that server and clients do not share one. */
export const pinned = ['0', '1'].every((core) => spawnSync('taskset', ['-c', core, 'true']).status === 0);

/** Starts a file of this folder with arguments, pinned to a core. */
export function startChild<Methods extends Calls>(
  [file, ...args]: readonly [string, ...string[]],
  { core }: { core: 0 | 1 },
): Child<Methods> {
  const node = [process.execPath, '--expose-gc', path.join(import.meta.dirname, file), ...args];
  const [command = '', ...rest] = pinned ? ['taskset', '-c', `${core}`, ...node] : node;
  const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let lastId = 0;
  let over = false;
  running.add(child);
  child.on('message', ({ id, value, error }: Reply) => {
    const request = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) request?.resolve(value as never);
    else request?.reject(new Error(`${file}: ${error}`));
  });
  child.on('exit', (code, signal) => {
    over = true;
    running.delete(child);
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended: ${code ?? signal}`));
  });
  return {
    call(name, ...values) {
      if (over) throw new Error(`${file} has ended.`);
      lastId += 1;
      const request = Promise.withResolvers<never>();
      waiting.set(lastId, request);
      child.send({ id: lastId, name, args: values } satisfies Request);
      return request.promise;
    },
    async stop() {
      child.disconnect();
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Serves calls in the child process, which exits with its parent. */
export function serveCalls(methods: Calls): void {
  const serve = async ({ id, name, args }: Request): Promise<Reply> => {
    try {
      return { id, value: await methods[name]?.(...args) };
    } catch (error) {
      return { id, error: (error as Error).stack ?? `${error}` };
    }
  };
  process.on('message', (request: Request) => void serve(request).then((sent) => process.send?.(sent)));
  process.on('disconnect', () => process.exit(0));
}
