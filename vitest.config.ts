import { defineConfig } from 'vitest/config';

/** A busy machine gets a second try. The whole run names what needed it. */
const retry = process.env['CI'] ? 1 : 0;

/** Two cores are the smallest machine that we promise to test on; one more, since some wait for what was killed. */
const maxWorkers = 3;

/**
 * Files share the processes that run them, one after the other, and load what they import once: two thirds of the time.
 * Each makes its own server and database; nothing of ours is kept in a module that a test could change.
 */
const isolate = false;

/** What is polled for comes when the machine gets to it: a second, Vitest's default, is too short on a busy one. */
const expectation = { poll: { timeout: 10_000 } };

export default defineConfig({
  test: {
    maxWorkers,
    // A real database, a real hub: what takes long is stuck.
    testTimeout: 20_000,
    hookTimeout: 30_000,
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
          setupFiles: ['server/test/temporal.ts'],
        },
      },
      {
        extends: './web/vite.config.ts',
        test: {
          name: 'web',
          root: 'web',
          environment: 'jsdom',
          // These three do not come down from above to a project that extends another file.
          retry,
          maxWorkers,
          expect: expectation,
          // Each file has a world of its own as before, but not a process: a quarter of the time.
          pool: 'vmThreads',
          setupFiles: [`${import.meta.dirname}/web/src/testing/own-channels.ts`],
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
        },
      },
    ],
  },
});
