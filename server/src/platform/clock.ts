/** The one source of time (stack: SQL never asks for it); tests set it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back every `ms` of this clock until the returned function is called. */
  every(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
};

/**
 * The system's clock, moved by an offset that a test server's POST /dev/clock sets. Time goes on running, so that
 * nothing stands still while a test waits; moving it calls everything that has become due, once.
 *
 * @internal for tests
 */
export function movableClock(): Clock & { set(ms: number): void } {
  let offset = 0;
  const works = new Set<() => void>();
  const now = () => Date.now() + offset;
  return {
    now,
    every(ms, work) {
      works.add(work);
      const timer = setInterval(work, ms);
      return () => {
        works.delete(work);
        clearInterval(timer);
      };
    },
    set(ms) {
      offset = ms - Date.now();
      for (const work of works) work();
    },
  };
}

/** The clock's present as the ISO text that database and wire use. */
export const isoNow = (clock: Clock): string => new Date(clock.now()).toISOString();
