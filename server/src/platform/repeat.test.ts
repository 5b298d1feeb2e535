import { expect, test, vi } from 'vitest';
import { daily, forAll } from './repeat.ts';

const hour = 3_600_000;

test('daily: runs once a day, and again at the next call after a failure', async () => {
  let now = Date.parse('2031-03-04T02:00:00Z');
  const work = vi.fn().mockRejectedValueOnce(new Error('The database is away.'));
  const run = daily({ now: () => now }, work);
  await expect(run()).rejects.toThrow('The database is away.');
  now += hour;
  await run();
  expect(work).toHaveBeenCalledTimes(2);
  now += 23 * hour;
  await run();
  expect(work).toHaveBeenCalledTimes(2);
  now += hour;
  await run();
  expect(work).toHaveBeenCalledTimes(3);
});

test('forAll: goes on after an error, in order, and throws the first one with its item', async () => {
  const seen: number[] = [];
  const running = forAll(
    [{ companyId: 1 }, { companyId: 2 }, { companyId: 3 }, { companyId: 4 }],
    async ({ companyId }) => {
      seen.push(companyId);
      if (companyId % 2 === 0) throw new Error(`broken ${companyId}`);
    },
  );
  await expect(running).rejects.toThrow('broken 2 ({"companyId":2})');
  expect(seen).toEqual([1, 2, 3, 4]);
});
