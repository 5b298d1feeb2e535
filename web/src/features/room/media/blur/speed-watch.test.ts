import { expect, test } from 'vitest';
import { SpeedWatch } from './speed-watch.ts';

/** Adds these times, one after another, until `ms` have passed; returns when the device was found too slow, ms. */
function watch(tookMs: (index: number) => number, ms: number): number[] {
  const speed = new SpeedWatch();
  const slow: number[] = [];
  let now = 1_000;
  for (let index = 0; now < 1_000 + ms; index += 1) {
    const took = tookMs(index);
    now += took;
    if (speed.add(took, now)) slow.push(now - 1_000);
  }
  return slow;
}

test('SpeedWatch: times that are usually too long are found after five seconds', () => {
  expect(watch(() => 250, 6_000)).toEqual([5_000]);
  expect(watch(() => 2_000, 10_000)).toEqual([10_000]);
  expect(watch(() => 150, 60_000)).toEqual([]);
});

test('SpeedWatch: one long time does not count, and a device that becomes slow does', () => {
  expect(watch((index) => (index === 3 ? 3_600_000 : 60), 3_700_000)).toEqual([]);
  const [first = 0] = watch((index) => (index < 100 ? 60 : 300), 60_000);
  expect(first).toBeGreaterThan(6_000);
  expect(first).toBeLessThan(17_000);
});
