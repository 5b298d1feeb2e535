/** Time as the room's parts see it, so that tests can hold it still. */
export interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Runs once after `ms`; returns the way to call it off. */
  after(ms: number, run: () => void): () => void;
}

/** What failed at the server is tried again after this, ms. */
export const retryMs = 2_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A clock that agrees with the server's: that one showed `serverNow` (ISO) when this device's showed `at` (ms). */
export function clockOf(serverNow: string, at: number, base: Clock = systemClock): Clock {
  const ahead = Date.parse(serverNow) - at;
  return { now: () => base.now() + ahead, after: base.after };
}
