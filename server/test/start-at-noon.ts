import type { movableClock } from '../src/platform/clock.ts';

/** Sets a test's clock to noon of tomorrow in UTC, so that no day ends during the test. Returns the date. */
export function startAtNoon(clock: ReturnType<typeof movableClock>): string {
  const date = new Date(clock.now() + 86_400_000).toISOString().slice(0, 10);
  clock.set(Date.parse(`${date}T12:00:00Z`));
  return date;
}
