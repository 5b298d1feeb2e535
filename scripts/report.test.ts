import { describe, expect, test } from 'vitest';
import { type Counts, countPlaywright, noCounts, type Part, type PlaywrightReport, report } from './report.ts';

const part = (name: string, values: Partial<Part> = {}): Part => ({ name, ok: true, seconds: 1.25, ...values });
const counts = (values: Partial<Counts>): Counts => ({ ...noCounts, ...values });

describe('report', () => {
  test('lines: durations, skipped tests, retried tests, counts', () => {
    const unit = counts({ passed: 7, skipped: [{ title: 'a', reason: 'no Redis' }], retried: ['b'] });
    const stories = counts({ passed: 2, skipped: [{ title: 'c', reason: 'no Firefox' }], retried: ['d'] });
    expect(report([part('checks'), part('unit', { counts: unit }), part('stories', { counts: stories })])).toEqual({
      failed: 0,
      lines: [
        '✓ checks (1.3 s)',
        '✓ unit (1.3 s)',
        '✓ stories (1.3 s)',
        'skipped: a — no Redis',
        'skipped: c — no Firefox',
        'passed at the second try only: b',
        'passed at the second try only: d',
        '9 passed, 0 failed, 2 skipped',
      ],
    });
  });

  test('a part that failed without a failed test: counts as one failed test', () => {
    const { failed, lines } = report([
      part('checks', { ok: false }),
      part('unit', { ok: false, counts: counts({ passed: 3 }) }),
      part('stories', { ok: false, counts: counts({ passed: 1, failed: 4 }) }),
    ]);
    expect([failed, lines[0], lines.at(-1)]).toEqual([6, '✗ checks (1.3 s)', '4 passed, 6 failed, 0 skipped']);
  });
});

test('countPlaywright: counts nested suites, with full names of skipped and retried tests', () => {
  const spec = (title: string, status: 'expected' | 'unexpected' | 'flaky' | 'skipped', description?: string) => ({
    title,
    tests: [{ status, annotations: description === undefined ? [] : [{ type: 'skip', description }] }],
  });
  const inner = { title: 'inner', specs: [spec('one', 'flaky'), spec('two', 'skipped', 'no nginx')] };
  const outer = { title: 'a.e2e.ts', suites: [inner], specs: [spec('three', 'expected'), spec('four', 'unexpected')] };
  const whole: PlaywrightReport = { suites: [outer, { title: 'b', specs: [spec('five', 'skipped')] }], errors: ['!'] };
  expect(countPlaywright(whole)).toEqual({
    passed: 2,
    failed: 2,
    skipped: [
      { title: 'a.e2e.ts > inner > two', reason: 'no nginx' },
      { title: 'b > five', reason: 'no reason given' },
    ],
    retried: ['a.e2e.ts > inner > one'],
  });
});
