/**
 * `npm run pictures`: starts a demo at a fixed time and takes the pictures of the README into docs/images. The same data, time
 * and fonts give the same pictures on every machine.
 */
import fs from 'node:fs';
import path from 'node:path';
import { chromium, type Locator, type Page } from '@playwright/test';
import { findChromium } from './support/chromium.ts';
import { startDemoAt } from './support/processes.ts';
import { desktop, signIn } from './support/story.ts';

/** A Thursday, in the afternoon in New York. */
const now = '2026-11-12T20:10:00Z';
const folder = path.join(import.meta.dirname, '../docs/images');
const maxBytes = 300_000;
/** Chromium switches: whole tiles and the same arithmetic on every machine. */
const sameBytes = ['--disable-partial-raster', '--disable-skia-runtime-opts', '--force-color-profile=srgb'];

/** Takes a picture of a page when it shows these elements. */
async function take(page: Page, name: string, address: string, ...shown: Locator[]): Promise<void> {
  await page.goto(address);
  for (const element of shown) await element.first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.evaluate(async () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await document.fonts.ready;
  });
  const picture = await page.screenshot({ animations: 'disabled' });
  if (picture.length > maxBytes)
    throw new Error(`${name} has ${picture.length} bytes; at most ${maxBytes} are allowed.`);
  fs.writeFileSync(path.join(folder, name), picture);
  process.stdout.write(`docs/images/${name}: ${Math.ceil(picture.length / 1000)} KB\n`);
}

const demo = await startDemoAt(now);
const browser = await chromium.launch({ ...findChromium(), args: ['--no-sandbox', '--disable-gpu', ...sameBytes] });
try {
  const page = await browser.newPage({
    baseURL: demo.url,
    viewport: desktop,
    colorScheme: 'light',
    timezoneId: 'America/New_York',
    reducedMotion: 'reduce',
  });
  await page.clock.setFixedTime(now);
  await signIn(page, 'staff@demo.test');
  await take(page, 'appointments.png', '/#/appointment-list', page.getByText('Scheduled'));
  await take(
    page,
    'schedule.png',
    '/#/schedule/daily/2026-11-12',
    page.getByRole('link', { name: /Haddad.*3:30/ }),
    page.getByRole('group', { name: 'Go to date' }).getByRole('spinbutton'),
    page.getByText("Olivia O'Brien"),
  );
} finally {
  await browser.close();
  await demo.stop();
}
