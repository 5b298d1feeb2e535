/**
 * `npm run pictures:room`: takes a picture of every state of the room on a phone, a phone on its side, a laptop and a large screen, into
 * test-results/room. Pages outside of the room, which is always dark, are taken light and dark. For looking at, not for comparing. Arguments are
 * the beginnings of the names to take.
 */
import fs from 'node:fs';
import path from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { CALL_FLAGS, findChromium } from './support/chromium.ts';
import { playRareRoomStates } from './support/rare-room-states.ts';
import { closeChat, type Parts, playRoomStates, type RoomState } from './support/room-states.ts';
import { startDemo } from './support/server.ts';
import { desktop, noteStatuses, phone } from './support/story.ts';
import { openLine, startTurn, turnProgram } from './support/turn.ts';

const folder = path.join(import.meta.dirname, '../test-results/room');
const sizes = [phone, { width: 844, height: 390 }, desktop, { width: 1920, height: 1080 }] as const;
const wanted = process.argv.slice(2);

async function take({ name, page, only, restore }: RoomState): Promise<void> {
  if (wanted.length > 0 && !wanted.some((start) => name.startsWith(start))) return;
  const schemes = (await page.locator('.room').count()) > 0 ? (['light'] as const) : (['light', 'dark'] as const);
  for (const size of only === 'phone' ? [phone] : only === 'window' ? [undefined] : sizes) {
    if (size) {
      await page.setViewportSize(size);
      await (restore ? restore() : closeChat(page));
    }
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await settle(page);
      const suffix = schemes.length > 1 ? `-${colorScheme}` : '';
      await page.screenshot({
        path: path.join(folder, `${name}${size ? `-${size.width}x${size.height}` : ''}${suffix}.png`),
        animations: 'disabled',
      });
    }
  }
  if (only !== 'window') await page.setViewportSize(only === 'phone' ? phone : desktop);
  process.stdout.write(`${name}\n`);
}

/** Waits until nothing moves. */
const settle = (page: Page) =>
  page.waitForFunction(() => !document.getAnimations().some((one) => one instanceof CSSTransition));

fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
const turn = turnProgram ? await startTurn() : undefined;
const demo = await startDemo(
  turn && { TURN_URLS: `turn:127.0.0.1:${turn.port}?transport=udp`, TURN_SECRET: turn.secret },
);
const line = turn && (await openLine(turn.port));
const browser = await chromium.launch({ ...findChromium(), args: [...CALL_FLAGS] });
try {
  const parts: Parts = {
    demo,
    open: async () => {
      const context = await browser.newContext({
        baseURL: demo.url,
        viewport: desktop,
        timezoneId: 'America/New_York',
        reducedMotion: 'reduce',
        serviceWorkers: 'block',
      });
      await context.addInitScript(noteStatuses);
      return context.newPage();
    },
    shown: take,
    ...(line && { line }),
  };
  await playRoomStates(parts);
  await playRareRoomStates(parts);
} finally {
  await browser.close();
  line?.close();
  await demo.stop();
  await turn?.stop();
}
