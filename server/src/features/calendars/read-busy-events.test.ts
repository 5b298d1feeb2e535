import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { calendarOf, eventOf } from '../../../test/calendar-server.ts';
import { readBusyEvents } from './read-busy-events.ts';

const query = {
  text: calendarOf(eventOf('DTSTART:20261005T100000Z', 'DURATION:PT1H')),
  timeZone: 'America/New_York',
  from: Date.parse('2026-10-01T00:00:00Z'),
  until: Date.parse('2026-11-01T00:00:00Z'),
};

test('many calendars at the same time: two threads, one of a company; one that waits for many is refused', async () => {
  let running = 0;
  let most = 0;
  const count = (worker: Worker) => {
    running += 1;
    most = Math.max(most, running);
    worker.once('exit', () => (running -= 1));
  };
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  const read = (companyId: number, by: 'save' | 'repeat' = 'save') =>
    readBusyEvents({ by, companyId }, query).then(
      ({ busy }) => `${busy.length} busy`,
      (error: { code?: string }) => error.code,
    );
  const alone = await Promise.all(Array.from({ length: 7 }, () => read(1)));
  expect(alone).toEqual([...Array(5).fill('1 busy'), ...Array(2).fill('unavailable')]);
  expect(most).toBe(1);
  const together = await Promise.all([read(1), read(1), read(2), read(3), read(1, 'repeat'), read(2, 'repeat')]);
  expect(together).toEqual(Array(6).fill('1 busy'));
  expect([most, running]).toEqual([2, 0]);
});
