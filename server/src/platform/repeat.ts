import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from './clock.ts';

/**
 * Runs `work` every `ms` of the clock, never twice at once; a failure is logged and the next turn tries again (the
 * database may be away). With `immediately` the first turn does not wait. The returned function stops it and waits for the
 * turn that is running.
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
  let failing = false;
  const turn = () => {
    if (running) return;
    running = work()
      .then(() => {
        failing = false;
      })
      .catch((error: Error) => {
        if (!failing) log.error({ error: error.message }, `${name} failed; trying on`);
        failing = true;
      })
      .finally(() => {
        running = undefined;
      });
  };
  const stop = clock.every(ms, turn);
  if (immediately) turn();
  return async () => {
    stop();
    await running;
  };
}
