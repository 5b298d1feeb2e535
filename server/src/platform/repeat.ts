import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from './clock.ts';

/**
 * Runs `work` every `ms` of the clock, one run at a time. The first of consecutive equal failures is logged, and the next
 * interval tries again. With `immediately` it also runs now. The returned function stops it and waits for a running one.
 */
export function repeat(
  { clock, log }: { clock: Clock; log: FastifyBaseLogger },
  name: string,
  ms: number,
  work: () => Promise<unknown>,
  { immediately = false } = {},
): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  let failure: string | undefined;
  const run = () => {
    if (running) return;
    running = work()
      .then(() => {
        failure = undefined;
      })
      .catch((error: Error) => {
        if (failure !== error.message) log.error({ error: error.message }, `${name} failed and will be tried again`);
        failure = error.message;
      })
      .finally(() => {
        running = undefined;
      });
  };
  const stop = clock.every(ms, run);
  if (immediately) run();
  return async () => {
    stop();
    await running;
  };
}

const dayMs = 86_400_000;

/**
 * Runs `work` for each item, one after the other. An error does not keep it from the items that follow.
 *
 * @param items ids only, since those that failed are in the error's message, which is logged
 * @throws Error at the end, when the work of any item failed
 */
export async function forAll<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const failures: string[] = [];
  for (const item of items)
    await work(item).catch((error: Error) => failures.push(`${error.message} ${JSON.stringify(item)}`));
  if (failures.length > 0) throw new Error(failures.join('; '));
}

/** Returns a function that runs `work` the first time, when a day has passed since it succeeded, and again after a failure. */
export function daily(clock: Pick<Clock, 'now'>, work: () => Promise<unknown>): () => Promise<void> {
  let dueAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    if (now < dueAt) return;
    await work();
    dueAt = now + dayMs;
  };
}
