import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

type Calls = Record<string, (...args: never[]) => unknown>;

/** A process of its own that answers the calls of `Answers`. */
export interface Child<Answers extends Calls> {
  call<Name extends keyof Answers & string>(
    name: Name,
    ...args: Parameters<Answers[Name]>
  ): Promise<Awaited<ReturnType<Answers[Name]>>>;
  /** Lets it exit by itself, so that a profile would be written. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

interface Question {
  id: number;
  name: string;
  args: never[];
}

interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Whether a process can be kept on one of two cores, so that server and load do not take turns. */
export const pinned = ['0', '1'].every((core) => spawnSync('taskset', ['-c', core, 'true']).status === 0);

/** Starts a file that is beside this one, with its arguments, on a core of its own. */
export function startChild<Answers extends Calls>(
  [file, ...args]: readonly [string, ...string[]],
  { core }: { core: 0 | 1 },
): Child<Answers> {
  const node = [process.execPath, '--expose-gc', path.join(import.meta.dirname, file), ...args];
  const [command = '', ...rest] = pinned ? ['taskset', '-c', `${core}`, ...node] : node;
  const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let asked = 0;
  let over = false;
  running.add(child);
  child.on('message', ({ id, value, error }: Answer) => {
    const question = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) question?.resolve(value as never);
    else question?.reject(new Error(`${file}: ${error}`));
  });
  child.on('exit', (code, signal) => {
    over = true;
    running.delete(child);
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended: ${code ?? signal}`));
  });
  return {
    call(name, ...values) {
      if (over) throw new Error(`${file} has ended.`);
      asked += 1;
      const question = Promise.withResolvers<never>();
      waiting.set(asked, question);
      child.send({ id: asked, name, args: values } satisfies Question);
      return question.promise;
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

/** The child's side. Ends with its parent. */
export function answerCalls(answers: Calls): void {
  const answer = async ({ id, name, args }: Question): Promise<Answer> => {
    try {
      return { id, value: await answers[name]?.(...args) };
    } catch (error) {
      return { id, error: (error as Error).stack ?? `${error}` };
    }
  };
  process.on('message', (question: Question) => void answer(question).then((sent) => process.send?.(sent)));
  process.on('disconnect', () => process.exit(0));
}
