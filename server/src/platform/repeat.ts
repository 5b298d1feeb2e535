import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from './clock.ts';

/**
 * Runs `work` every `ms` of the clock, one run at a time. The first of consecutive failures is logged, and the next
 * interval tries again. With `immediately` it also runs now. The returned function stops it and waits for a running one.
 */
export function repeat(
  clock: Clock,
  log: FastifyBaseLogger,
  name: string,
  ms: number,
  work: () => Promise<unknown>,
  { immediately = false } = {},
): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  let isFailing = false;
  const run = () => {
    if (running) return;
    running = work()
      .then(() => {
        isFailing = false;
      })
      .catch((error: Error) => {
        if (!isFailing) log.error({ error: error.message }, `${name} failed and will be tried again`);
        isFailing = true;
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

/** Returns a function that runs `work` the first time, and then when a day has passed. */
export function daily(clock: Pick<Clock, 'now'>, work: () => Promise<unknown>): () => Promise<void> {
  let dueAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    if (now < dueAt) return;
    dueAt = now + dayMs;
    await work();
  };
}
