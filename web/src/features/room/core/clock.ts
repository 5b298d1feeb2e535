/** Time and timers of the room's parts; tests control it. */
export interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Runs once after `ms`; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Delay before a failed request is repeated, ms. */
export const retryMs = 2_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Returns a clock that follows the server's: it showed `serverNow` (ISO) when this device's showed `at` (ms). */
export function clockOf(serverNow: string, at: number, base: Clock = systemClock): Clock {
  const ahead = Date.parse(serverNow) - at;
  return { now: () => base.now() + ahead, after: base.after };
}
