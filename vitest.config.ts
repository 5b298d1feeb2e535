import { defineConfig } from 'vitest/config';

/** Failed tests are retried once on CI. The report lists them. */
const retry = process.env['CI'] ? 1 : 0;

/** Two cores are the minimum for the tests; one more worker, because some tests wait for killed processes. */
const maxWorkers = 3;

/**
 * Test files share processes and load their imports once, which saves a third of the time. Each file creates its own server and database;
 * modules have no state that tests could change.
 */
const isolate = false;

/** Vitest's default timeout of `expect.poll`, one second, is too short on a busy machine. */
const expectation = { poll: { timeout: 30_000 } };

export default defineConfig({
  test: {
    maxWorkers,
    // Enough for tests with a database and a hub on a machine several times slower. What must be quick has its own limit in its test.
    testTimeout: 120_000,
    hookTimeout: 90_000,
    retry,
    expect: expectation,
    projects: [
      {
        test: {
          name: 'contract',
          isolate,
          include: ['contract/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          setupFiles: ['server/test/temporal.ts'],
        },
      },
      {
        test: { name: 'signalr', isolate, include: ['signalr/**/*.test.ts'] },
      },
      {
        test: {
          name: 'server',
          isolate,
          include: ['server/**/*.test.ts'],
          globalSetup: ['server/test/cluster.ts'],
          setupFiles: ['server/test/temporal.ts', 'server/test/run-after-file.ts'],
        },
      },
      {
        extends: './web/vite.config.ts',
        test: {
          name: 'web',
          root: 'web',
          environment: 'jsdom',
          // A project that extends another file does not inherit these three.
          retry,
          maxWorkers,
          expect: expectation,
          // Each file has its own VM context but no process, which needs a quarter of the time.
          pool: 'vmThreads',
          setupFiles: ['own-channels.ts', 'layout.ts'].map((file) => `${import.meta.dirname}/web/src/testing/${file}`),
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
        },
      },
    ],
  },
});
