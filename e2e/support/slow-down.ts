import type { BrowserContext, Page } from '@playwright/test';

/** How many times slower the processor is for the pages of stories. */
const slowDown = Number(process.env['STORIES_SLOW_DOWN'] ?? 1);
/** The longest delay of a call, ms. Each waits for a part of it, at random, so that responses come in another order. */
const maxDelayMs = Number(process.env['STORIES_DELAY_MS'] ?? 0);

/** Makes the pages of a context as slow as the environment asks, to find stories and pages that count on their speed. */
export async function slowDownPages(context: BrowserContext): Promise<void> {
  // Only Chromium can be slowed down.
  if (slowDown > 1) context.on('page', (page) => void slowDownPage(page).catch(() => undefined));
  if (maxDelayMs > 0)
    await context.route('**/api/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * maxDelayMs));
      await route.continue().catch(() => undefined);
    });
}

async function slowDownPage(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowDown });
}
