import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { movableClock } from './clock.ts';
import { daily, forAll, repeat } from './repeat.ts';

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

test('forAll: goes on after an error, in order, and throws what failed, with the items', async () => {
  const seen: number[] = [];
  const running = forAll(
    [{ companyId: 1 }, { companyId: 2 }, { companyId: 3 }, { companyId: 4 }],
    async ({ companyId }) => {
      seen.push(companyId);
      if (companyId % 2 === 0) throw new Error(`broken ${companyId}`);
    },
  );
  await expect(running).rejects.toThrow('broken 2 {"companyId":2}; broken 4 {"companyId":4}');
  expect(seen).toEqual([1, 2, 3, 4]);
});

test('repeat: logs a failure again only when it is another one', async () => {
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push((JSON.parse(line) as { error: string }).error) });
  const clock = movableClock();
  const failures = ['one', 'one', 'one and two', '', 'one'];
  const stop = repeat({ clock, log }, 'the work', 1, async () => {
    const failure = failures.shift();
    if (failure) throw new Error(failure);
  });
  await expect.poll(() => failures).toEqual([]);
  await stop();
  expect(logged).toEqual(['one', 'one and two', 'one']);
});
