import type { VisitQuality } from '@roomside/contract/room/calls.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import type { Figures } from './quality.ts';
import { QualityReporter } from './quality-reporter.ts';
import { QualitySummary } from './quality-summary.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sample: Figures = {
  loss: 0,
  rttMs: 40,
  jitterMs: 4,
  concealed: 0,
  frozen: 0,
  freezes: 0,
  stalled: false,
  relayed: false,
};

test('quality of the visit: is saved each minute with averages and worst values, again after a failure', async () => {
  const summary = new QualitySummary();
  const saved: VisitQuality[] = [];
  let fails = true;
  const reporter = new QualityReporter({
    clock: systemClock,
    summary,
    page: 'page-1',
    save: async (quality) => {
      if (fails) throw new Error('away');
      saved.push(quality);
    },
  });
  reporter.start();
  await vi.advanceTimersByTimeAsync(60_000);
  summary.add('good', sample);
  summary.add('poor', { ...sample, loss: 0.3, rttMs: 200, freezes: 2, relayed: true });
  summary.interrupted();
  summary.attempted();
  summary.attempted();
  await vi.advanceTimersByTimeAsync(60_000);
  fails = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(saved).toEqual([
    {
      page: 'page-1',
      lossAverage: 0.15,
      lossWorst: 0.3,
      rttAverageMs: 120,
      rttWorstMs: 200,
      jitterAverageMs: 4,
      jitterWorstMs: 4,
      concealedAverage: 0,
      concealedWorst: 0,
      freezes: 2,
      relayed: true,
      interruptions: 1,
      restarts: 2,
      goodSeconds: 2,
      fairSeconds: 0,
      poorSeconds: 2,
    },
  ]);
  reporter.stop();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(saved).toHaveLength(1);
});

test('quality of a visit without another peer: is not saved', async () => {
  const save = vi.fn(async () => {});
  const reporter = new QualityReporter({ clock: systemClock, summary: new QualitySummary(), page: 'page-1', save });
  await reporter.save();
  expect(save).not.toHaveBeenCalled();
});
