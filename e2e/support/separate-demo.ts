import { type Demo, startDemo } from './server.ts';
import { test } from './story.ts';

/**
 * Stories with a server apart from that of other stories, one per worker: for settings of the server, or for data that
 * others count. `start` makes it; a demo without further settings by default.
 */
export const withSeparateDemo = (start: () => Promise<Demo> = startDemo) =>
  test.extend<object, { demo: Demo }>({
    demo: [
      // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern.
      async ({}, use) => {
        const demo = await start();
        await use(demo);
        await demo.stop();
      },
      { scope: 'worker', timeout: 240_000 },
    ],
  });
