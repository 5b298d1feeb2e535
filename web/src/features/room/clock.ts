/** Time as the room's parts see it, so that tests can hold it still. */
export interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Runs once after `ms`; returns the way to call it off. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A clock that agrees with the server's: `serverNow` is what that one showed just now, ISO. */
export function clockOf(serverNow: string, base: Clock = systemClock): Clock {
  const ahead = Date.parse(serverNow) - base.now();
  return { now: () => base.now() + ahead, after: base.after };
}
