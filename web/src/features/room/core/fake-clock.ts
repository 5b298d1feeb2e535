import type { Clock } from './clock.ts';

/** A clock for tests that stands still until `pass`. */
export function fakeClock(): Clock & { pass(ms: number): void; waiting(): number } {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Runs the timers that are due, the earliest first. */
    pass(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        now = next.at;
        timers.delete(next);
        next.run();
      }
      now = until;
    },
    /** How many timers run. */
    waiting: () => timers.size,
  };
}
