import { expect, type Page } from '@playwright/test';

const frames = 20;
/** At 60 frames per second, which an idle machine shows. */
const idleMs = (frames * 1000) / 60;

/**
 * Returns a limit for something that takes `ms` at most on an idle machine: as many times longer as the page needs for its frames now, since
 * other stories use the same processor.
 */
export async function limitOnThisMachine(page: Page, ms: number): Promise<number> {
  const from = performance.now();
  for (let frame = 0; frame < frames; frame += 1)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  return Math.round(ms * Math.max(1, (performance.now() - from) / idleMs));
}

/** Waits for `work`. Returns its result with the largest limit meanwhile, ms: the machine may pause at any moment. */
export async function limitDuring<T>(page: Page, ms: number, work: Promise<T>): Promise<{ result: T; limit: number }> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let limit = await limitOnThisMachine(page, ms);
  while (!isOver) limit = Math.max(limit, await limitOnThisMachine(page, ms));
  return { result: await over, limit };
}

/**
 * Watches the page's connection to the hub; call it before the page is opened. The returned function waits for its end and returns how long after
 * `since` (ms since 1970) that was, ms. What the page shows then takes as long as the machine needs to draw it.
 */
export function watchHub(page: Page): (since: number) => Promise<number> {
  const ends: number[] = [];
  page.on('websocket', (socket) => {
    if (socket.url().includes('/messaging')) socket.on('close', () => ends.push(Date.now()));
  });
  return async (since) => {
    // Frames of the browser and of this process may arrive in another order.
    const firstEnd = () => ends.find((end) => end > since - 500);
    await expect.poll(firstEnd).toBeDefined();
    return Math.max(0, (firstEnd() ?? 0) - since);
  };
}
