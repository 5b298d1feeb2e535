import { expect, test } from 'vitest';
import { type Figures, figuresBetween, type Quality, rate, settle, steady, totalsOf, worseOf } from './quality.ts';
import { firstVideoStep, nextVideoStep, type VideoStep, videoSteps } from './video-limits.ts';

const fine: Figures = {
  loss: 0,
  rttMs: 40,
  jitterMs: 5,
  concealed: 0,
  frozen: 0,
  freezes: 0,
  stalled: false,
  relayed: false,
};

test.each<[Partial<Figures>, Quality]>([
  [{}, 'good'],
  [{ loss: 0.029, rttMs: 299, jitterMs: 39, concealed: 0.029, frozen: 0.19 }, 'good'],
  [{ loss: 0.03 }, 'fair'],
  [{ rttMs: 300 }, 'fair'],
  [{ jitterMs: 40 }, 'fair'],
  [{ concealed: 0.03 }, 'fair'],
  [{ frozen: 0.2 }, 'fair'],
  [{ loss: 0.1 }, 'poor'],
  [{ rttMs: 700 }, 'poor'],
  [{ jitterMs: 100 }, 'poor'],
  [{ concealed: 0.1 }, 'poor'],
  [{ frozen: 0.5 }, 'poor'],
  [{ stalled: true }, 'poor'],
  [{ relayed: true, freezes: 1 }, 'good'],
])('sample with %o: is %s', (part, quality) => {
  expect(rate({ ...fine, ...part })).toBe(quality);
});

/** The quality after each sample. */
function after(...samples: Quality[]): Quality[] {
  let current = steady('good');
  return samples.map((sample) => {
    current = settle(current, sample);
    return current.quality;
  });
}

test('quality: gets worse after two samples in a row, better after four, and does not flicker', () => {
  expect(after('poor', 'good', 'poor', 'good')).toEqual(['good', 'good', 'good', 'good']);
  expect(after('poor', 'poor')).toEqual(['good', 'poor']);
  expect(after('poor', 'fair')).toEqual(['good', 'fair']);
  expect(after('fair', 'fair', 'poor', 'good', 'poor', 'poor')).toEqual([
    'good',
    'fair',
    'fair',
    'fair',
    'fair',
    'poor',
  ]);
  expect(after('poor', 'poor', 'good', 'good', 'good', 'good')).toEqual([
    'good',
    'poor',
    'poor',
    'poor',
    'poor',
    'good',
  ]);
  expect(worseOf('fair', 'poor')).toBe('poor');
  expect(worseOf('fair', 'good')).toBe('fair');
});

const stats = (figures: { received: number; lost: number; concealed: number; silent: number; at: number }) =>
  new Map<string, object>([
    [
      'a',
      {
        id: 'a',
        type: 'inbound-rtp',
        timestamp: figures.at,
        packetsReceived: figures.received,
        packetsLost: figures.lost,
        jitter: 0.02,
        concealedSamples: figures.concealed,
        silentConcealedSamples: figures.silent,
        totalSamplesReceived: figures.at * 48,
      },
    ],
    [
      'v',
      { id: 'v', type: 'inbound-rtp', timestamp: figures.at, freezeCount: 1, totalFreezesDuration: figures.at / 4000 },
    ],
    ['t', { id: 't', type: 'transport', selectedCandidatePairId: 'p2' }],
    ['p1', { id: 'p1', type: 'candidate-pair', nominated: true, state: 'succeeded', currentRoundTripTime: 9 }],
    [
      'p2',
      { id: 'p2', type: 'candidate-pair', currentRoundTripTime: 0.08, localCandidateId: 'l', remoteCandidateId: 'r' },
    ],
    ['l', { id: 'l', type: 'local-candidate', candidateType: 'relay' }],
    ['r', { id: 'r', type: 'remote-candidate', candidateType: 'host' }],
  ]);

test('figures: are of the time between two readings, of the selected pair, without silence', () => {
  const before = totalsOf(stats({ received: 100, lost: 10, concealed: 1000, silent: 500, at: 10_000 }));
  const now = totalsOf(stats({ received: 190, lost: 20, concealed: 20_600, silent: 10_500, at: 12_000 }));
  expect(figuresBetween(before, now, true)).toEqual({
    loss: 0.1,
    rttMs: 80,
    jitterMs: 20,
    concealed: 0.1,
    frozen: 0.25,
    freezes: 0,
    stalled: false,
    relayed: true,
  });
  expect(figuresBetween(now, now, true)).toMatchObject({ loss: 0, concealed: 0, stalled: true });
  expect(figuresBetween(now, now, false).stalled).toBe(false);
});

/** The steps in use when `quality` is reported every two seconds. */
function steps(from: VideoStep, quality: Quality, seconds: number): number[] {
  let current = from;
  const used: number[] = [];
  for (let at = 0; at <= seconds; at += 2) {
    current = nextVideoStep(current, quality, from.since + at * 1000);
    used.push(current.step);
  }
  return used;
}

test('video: is reduced every four seconds of poor quality down to the last step', () => {
  const poor = nextVideoStep(firstVideoStep, 'poor', 0);
  expect(steps(poor, 'poor', 16)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 3]);
  expect(videoSteps).toHaveLength(4);
});

test('video: grows one step in 20 seconds of good quality, and stays as it is while that is fair', () => {
  const small: VideoStep = { step: 2, quality: 'good', since: 0 };
  expect(steps(small, 'good', 40)).toEqual([...Array<number>(10).fill(2), ...Array<number>(10).fill(1), 0]);
  expect(new Set(steps({ ...small, quality: 'fair' }, 'fair', 100))).toEqual(new Set([2]));
});
