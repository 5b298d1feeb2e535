import type { Invocation } from '../protocol/messages.ts';

/** The calls of one connection; created with the first one, because idle connections have none. */
export class Calls {
  /** The number of running methods that count for `limits.parallel`; infinite while `onConnected` runs. */
  running = 0;
  /** The invocations that wait. */
  queue: Invocation[] | undefined = undefined;
  /** Whether the queue continues in a later turn. */
  isDeferred = false;
  /** The remaining calls of the rate limit, and when they were computed, ms since the epoch. */
  budget: { left: number; at: number } | undefined = undefined;

  /** Whether a method runs or waits. */
  get isBusy(): boolean {
    return this.running > 0 || (this.queue?.length ?? 0) > 0;
  }
}
