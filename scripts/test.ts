import fs from 'node:fs';
import path from 'node:path';
import { STATIC_STEPS } from './check.ts';
import { type Counts, countPlaywright, type Part, type PlaywrightReport, report } from './report.ts';
import { root, runStep, type Step, timed } from './steps.ts';

/**
 * `npm test`: the static checks in parallel with the unit and server tests, then the browser tests. The last line has the counts; a
 * static check or a runner that fails without a failed test counts as one failed test. Exit code 1 when anything failed.
 */
const results = path.join(root, 'test-results');
const VITEST = path.join(results, 'vitest.json');
const E2E = path.join(results, 'e2e.json');

function readReport<T>(file: string): T | undefined {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as T) : undefined;
}

/** Runs steps one after the other, because two cores are shared with the tests. */
async function runInTurn(steps: readonly Step[]): Promise<Part[]> {
  const parts: Part[] = [];
  for (const step of steps) parts.push({ name: step.name, ...(await runStep(step)) });
  return parts;
}

fs.rmSync(VITEST, { force: true });
fs.rmSync(E2E, { force: true });
// With CI=1 both runners refuse `only` and do not write missing snapshots.
const strict = { CI: '1' };

const unitStep: Step = {
  name: 'unit and server tests',
  command: ['vitest', 'run', '--reporter=dot', '--reporter=./scripts/vitest-counts.ts'],
  env: { ...strict, TEST_COUNTS: VITEST },
  live: true,
};
const storiesStep: Step = {
  name: 'browser stories',
  command: ['playwright', 'test', '--config', 'e2e/playwright.config.ts', '--pass-with-no-tests'],
  env: { ...strict, PLAYWRIGHT_JSON_OUTPUT_FILE: E2E },
  live: true,
};

const whole = await timed(async () => {
  const [checks, unit] = await Promise.all([timed(() => runInTurn(STATIC_STEPS)), runStep(unitStep)]);
  const stories = await runStep(storiesStep);
  const storyReport = readReport<PlaywrightReport>(E2E);
  return [
    ...checks.result.filter(({ ok }) => !ok),
    { name: 'static checks', ok: true, seconds: checks.seconds },
    { name: unitStep.name, ...unit, counts: readReport<Counts>(VITEST) },
    { name: storiesStep.name, ...stories, counts: storyReport && countPlaywright(storyReport) },
  ];
});
const { lines, failed } = report(whole.result);
console.log(`\nAll of it took ${whole.seconds.toFixed(1)} s:`);
for (const line of lines) console.log(line);
if (failed > 0) process.exitCode = 1;
