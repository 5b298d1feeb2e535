import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';

const results = path.join(import.meta.dirname, '../test-results');

export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '**/*.e2e.ts',
  outputDir: path.join(results, 'e2e'),
  // A call takes both cores of a small machine.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env['CI']),
  reporter: [['line'], ['json', { outputFile: path.join(results, 'e2e.json') }]],
  use: {
    browserName: 'chromium',
    launchOptions: { ...findChromium(), args: [...CALL_FLAGS] },
    trace: 'retain-on-failure',
    // Video needs a program that Playwright downloads.
    video: 'off',
    contextOptions: { reducedMotion: 'reduce' },
    serviceWorkers: 'block',
  },
});
