import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';

/** Stories with pictures on both sides, by the names of their files. */
const CALLS = '**/{room-*,first-visit,connection-loss,two-processes}.e2e.ts';

const results = path.join(import.meta.dirname, '../test-results');

export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '**/*.e2e.ts',
  globalSetup: './support/scratch.ts',
  outputDir: path.join(results, 'e2e'),
  // One for each core of the smallest machine that we promise to test on, and one more: much of a story is waiting.
  workers: 3,
  // What a story makes is its own: visits, days, patients, sometimes a server. Any worker may tell it at any time.
  fullyParallel: true,
  projects: [
    // First, since they are the long ones; one at a time, since two calls take more than two cores.
    { name: 'calls', testMatch: CALLS, workers: 1 },
    { name: 'screens', testIgnore: CALLS },
  ],
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env['CI']),
  // The whole run names what needed it.
  retries: process.env['CI'] ? 1 : 0,
  reporter: [['line'], ['json', { outputFile: path.join(results, 'e2e.json') }]],
  use: {
    browserName: 'chromium',
    launchOptions: { ...findChromium(), args: [...CALL_FLAGS] },
    // A recording of every story doubles the time of all; of a failed one: `--trace retain-on-failure`.
    trace: 'off',
    screenshot: 'only-on-failure',
    // Video needs a program that Playwright downloads.
    video: 'off',
    contextOptions: { reducedMotion: 'reduce' },
    serviceWorkers: 'block',
  },
});
