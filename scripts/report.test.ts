import { describe, expect, test } from 'vitest';
import { type Counts, countPlaywright, noCounts, type Part, type PlaywrightReport, report } from './report.ts';

const part = (name: string, values: Partial<Part> = {}): Part => ({ name, ok: true, seconds: 1.25, ...values });
const counts = (values: Partial<Counts>): Counts => ({ ...noCounts, ...values });

describe('report', () => {
  test('lines: durations, skipped tests, retried tests, counts', () => {
    const unit = counts({
      passed: 7,
      skipped: [{ title: 'a', reason: 'no Redis' }],
      retried: [{ title: 'b', reason: 'late' }],
    });
    const stories = counts({
      passed: 2,
      skipped: [{ title: 'c', reason: 'no Firefox' }],
      retried: [{ title: 'd', reason: '2.0 s: gone' }],
    });
    expect(report([part('checks'), part('unit', { counts: unit }), part('stories', { counts: stories })])).toEqual({
      failed: 0,
      lines: [
        '✓ checks (1.3 s)',
        '✓ unit (1.3 s)',
        '✓ stories (1.3 s)',
        'skipped: a — no Redis',
        'skipped: c — no Firefox',
        'passed at the second try only: b — late',
        'passed at the second try only: d — 2.0 s: gone',
        '9 passed, 0 failed, 2 skipped',
      ],
    });
  });

  test('a part that failed without a failed test: counts as one failed test', () => {
    const broken = ['x', 'y'].map((title) => ({ title, reason: '3.0 s: lost' }));
    const { failed, lines } = report([
      part('checks', { ok: false }),
      part('unit', { ok: false, counts: counts({ passed: 3 }) }),
      part('stories', { ok: false, counts: counts({ passed: 1, failed: broken }) }),
    ]);
    expect([failed, lines[0]]).toEqual([4, '✗ checks (1.3 s)']);
    expect(lines.slice(3)).toEqual([
      'failed: checks — see its output above',
      'failed: unit — see its output above',
      'failed: x — 3.0 s: lost',
      'failed: y — 3.0 s: lost',
      '4 passed, 4 failed, 0 skipped',
    ]);
  });
});

test('countPlaywright: counts nested suites, with full names and reasons', () => {
  const spec = (title: string, status: 'expected' | 'unexpected' | 'flaky' | 'skipped', description?: string) => ({
    title,
    tests: [
      {
        status,
        annotations: description === undefined ? [] : [{ type: 'skip', description }],
        results: [{ duration: 1_500, errors: [{ message: '\u001B[31mTimed out\u001B[39m\n  waiting' }] }],
      },
    ],
  });
  const inner = { title: 'inner', specs: [spec('one', 'flaky'), spec('two', 'skipped', 'no nginx')] };
  const outer = { title: 'a.e2e.ts', suites: [inner], specs: [spec('three', 'expected'), spec('four', 'unexpected')] };
  const errors = [{ message: 'No tests found' }];
  const whole: PlaywrightReport = { suites: [outer, { title: 'b', specs: [spec('five', 'skipped')] }], errors };
  expect(countPlaywright(whole)).toEqual({
    passed: 2,
    failed: [
      { title: 'outside of tests', reason: 'No tests found' },
      { title: 'a.e2e.ts > four', reason: '1.5 s: Timed out waiting' },
    ],
    skipped: [
      { title: 'a.e2e.ts > inner > two', reason: 'no nginx' },
      { title: 'b > five', reason: 'no reason given' },
    ],
    retried: [{ title: 'a.e2e.ts > inner > one', reason: '1.5 s: Timed out waiting' }],
  });
});
