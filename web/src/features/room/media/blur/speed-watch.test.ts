import { expect, test } from 'vitest';
import { SpeedWatch } from './speed-watch.ts';

/** Adds images of this length, one after another, for a time; returns when the device was found too slow, ms. */
function watch(frameMs: (index: number) => number, ms: number): number[] {
  const speed = new SpeedWatch();
  const slow: number[] = [];
  let now = 1_000;
  for (let index = 0; now < 1_000 + ms; index += 1) {
    const took = frameMs(index);
    now += took;
    if (speed.add(took, now)) slow.push(now - 1_000);
  }
  return slow;
}

test('SpeedWatch: images that take too long on average are found after five seconds', () => {
  expect(watch(() => 200, 6_000)).toEqual([5_000]);
  expect(watch(() => 100, 60_000)).toEqual([]);
});

test('SpeedWatch: one long image does not count, and a device that becomes slow does', () => {
  expect(watch((index) => (index === 0 ? 2_000 : 60), 60_000)).toEqual([]);
  const [first = 0] = watch((index) => (index < 100 ? 60 : 300), 60_000);
  expect(first).toBeGreaterThan(6_000);
  expect(first).toBeLessThan(17_000);
});
