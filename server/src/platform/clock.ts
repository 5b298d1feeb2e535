/** The only source of time and of the product's timers. SQL gets the time as a parameter. Tests move it instead of waiting. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `work` every `ms` of this clock until the returned function is called. */
  every(ms: number, work: () => void): () => void;
  /** Calls `work` once, `ms` of this clock from now, unless the returned function is called before. */
  after(ms: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

interface Timer {
  /** On the scale of the movable clock's elapsed time, ms. */
  readonly dueAt: number;
  readonly work: () => void;
  handle?: NodeJS.Timeout;
}

/**
 * The system's clock with an offset, which a test server's POST /dev/clock sets. Time continues to run.
 *
 * `set` runs all repeated work once. A step forward first runs the work of `after` that has become due, once and in the
 * order of time, and shortens the remaining waits. A step back does not change the waits.
 *
 * After `freeze` only `set` moves the time, so that time windows do not depend on the machine's speed. Timers still run.
 * The returned function lets the time run again.
 *
 * @internal for tests
 */
export function movableClock(): Clock & { set(ms: number): void; freeze(): () => void } {
  let offset = 0;
  /** The sum of all steps forward, ms. */
  let skipped = 0;
  const works = new Set<() => void>();
  const timers = new Set<Timer>();
  let frozenAt: number | null = null;
  const now = () => frozenAt ?? Date.now() + offset;
  const elapsed = () => performance.now() + skipped;

  function start(timer: Timer): void {
    const waitMs = Math.max(0, timer.dueAt - elapsed());
    timer.handle = setTimeout(() => {
      timers.delete(timer);
      timer.work();
    }, waitMs);
  }
  function runDue(): void {
    const due = [...timers].filter(({ dueAt }) => dueAt <= elapsed()).sort((a, b) => a.dueAt - b.dueAt);
    for (const timer of due) {
      clearTimeout(timer.handle);
      // Work that ran before may have cancelled it.
      if (timers.delete(timer)) timer.work();
    }
  }

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
    after(ms, work) {
      const timer: Timer = { dueAt: elapsed() + ms, work };
      timers.add(timer);
      start(timer);
      return () => {
        timers.delete(timer);
        clearTimeout(timer.handle);
      };
    },
    freeze() {
      frozenAt = now();
      return () => {
        offset = now() - Date.now();
        frozenAt = null;
      };
    },
    set(ms) {
      const step = ms - now();
      offset = ms - Date.now();
      if (frozenAt !== null) frozenAt = ms;
      if (step > 0) {
        skipped += step;
        runDue();
        for (const timer of timers) {
          clearTimeout(timer.handle);
          start(timer);
        }
      }
      for (const work of works) work();
    },
  };
}

/** The current time as ISO 8601, as in the database and on the wire. */
export const isoNow = (clock: Clock): string => new Date(clock.now()).toISOString();
