import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';

/** Stories with video on both sides, by file name. */
const CALLS = '**/{room-*,guests,first-visit,connection-loss,two-processes}.e2e.ts';

/** Stories whose product acts on the machine's speed, and calls of four to six people, which leave no time to others: they run after the others. */
const ALONE = '**/{room-blur,room-group,room-of-four,schedule-speed}.e2e.ts';

const results = path.join(import.meta.dirname, '../test-results');

export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '**/*.e2e.ts',
  globalSetup: './support/scratch.ts',
  // The same on every machine: the browser and the fonts come from npm.
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  outputDir: path.join(results, 'e2e'),
  // One per core of the smallest supported machine: a third one made the stories slower.
  workers: 2,
  // Stories share no data (visits, days, patients, sometimes a server), so they run in any order.
  fullyParallel: true,
  projects: [
    // First, because they are long; one at a time, because two calls need more than two cores.
    { name: 'calls', testMatch: CALLS, testIgnore: ALONE, workers: 1 },
    { name: 'screens', testIgnore: [CALLS, ALONE] },
    // A single one of them does not need the others to run before.
    { name: 'alone', testMatch: ALONE, workers: 1, dependencies: process.env['CI'] ? ['calls', 'screens'] : [] },
  ],
  // Enough for a machine several times slower. What must be quick has its own limit in its story.
  timeout: 180_000,
  expect: { timeout: 20_000, toHaveScreenshot: { maxDiffPixelRatio: 0.01 } },
  forbidOnly: Boolean(process.env['CI']),
  // The report lists the stories that needed a retry.
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['line'], ['json', { outputFile: path.join(results, 'e2e.json') }]],
  use: {
    browserName: 'chromium',
    launchOptions: { ...findChromium(), args: [...CALL_FLAGS] },
    // Traces double the time of all stories; for a failed one: `--trace retain-on-failure`.
    trace: 'off',
    screenshot: 'only-on-failure',
    // Video needs a program that Playwright would download.
    video: 'off',
    contextOptions: { reducedMotion: 'reduce' },
    serviceWorkers: 'block',
  },
});
