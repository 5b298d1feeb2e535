import fs from 'node:fs';
import path from 'node:path';
import { STATIC_STEPS } from './check.ts';
import { type Counts, root, runStep, sayRetried } from './steps.ts';

/**
 * `npm test`: the static checks, the unit and server tests, the browser stories. The last line counts the tests; a
 * static check or a runner that fails by itself counts as one failed test. Exit code 1 when anything failed.
 */
const results = path.join(root, 'test-results');
const VITEST = path.join(results, 'vitest.json');
const E2E = path.join(results, 'e2e.json');

interface PlaywrightSuite {
  readonly title: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
      readonly annotations: readonly { readonly type: string; readonly description?: string }[];
    }[];
  }[];
}

interface PlaywrightReport {
  readonly suites: readonly PlaywrightSuite[];
  readonly errors: readonly unknown[];
}

function countPlaywright({ suites, errors }: PlaywrightReport): Counts {
  let passed = 0;
  let failed = errors.length;
  const skipped: Counts['skipped'][number][] = [];
  const walk = (suite: PlaywrightSuite, path: string): void => {
    const name = `${path}${suite.title} > `;
    for (const inner of suite.suites ?? []) walk(inner, name);
    for (const { title, tests } of suite.specs) {
      for (const { status, annotations } of tests) {
        const reason = annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description;
        if (status === 'skipped') skipped.push({ title: `${name}${title}`, reason: reason ?? 'no reason given' });
        else if (status === 'unexpected') failed += 1;
        else passed += 1;
        if (status === 'flaky') sayRetried(`${name}${title}`);
      }
    }
  };
  for (const suite of suites) walk(suite, '');
  return { passed, failed, skipped };
}

function readReport<T>(file: string): T | null {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as T) : null;
}

fs.rmSync(VITEST, { force: true });
fs.rmSync(E2E, { force: true });
// Both runners then refuse a forgotten `only` and do not write missing snapshots.
const strict = { CI: '1' };
const counts: Counts[] = [];
const failure: Counts = { passed: 0, failed: 1, skipped: [] };
for (const step of STATIC_STEPS) if (!(await runStep(step))) counts.push(failure);

const unitOk = await runStep({
  name: 'unit and server tests',
  command: ['vitest', 'run', '--reporter=dot', '--reporter=./scripts/vitest-counts.ts'],
  env: { ...strict, TEST_COUNTS: VITEST },
  live: true,
});
const storiesOk = await runStep({
  name: 'browser stories',
  command: ['playwright', 'test', '--config', 'e2e/playwright.config.ts', '--pass-with-no-tests'],
  env: { ...strict, PLAYWRIGHT_JSON_OUTPUT_FILE: E2E },
  live: true,
});
const stories = readReport<PlaywrightReport>(E2E);
for (const [ok, made] of [
  [unitOk, readReport<Counts>(VITEST)],
  [storiesOk, stories && countPlaywright(stories)],
] as const) {
  if (made) counts.push(made);
  if (!ok && !made?.failed) counts.push(failure);
}

const sum = (of: (count: Counts) => number) => counts.reduce((total, count) => total + of(count), 0);
for (const { title, reason } of counts.flatMap(({ skipped }) => skipped)) console.log(`skipped: ${title} — ${reason}`);
const failed = sum((count) => count.failed);
console.log(
  `${sum((count) => count.passed)} passed, ${failed} failed, ${sum((count) => count.skipped.length)} skipped`,
);
if (failed > 0) process.exitCode = 1;
