import type { Page } from '@playwright/test';
import { demoPassword } from './support/server.ts';
import { expect, phone, test } from './support/story.ts';
import { makeVisit } from './support/visit.ts';

interface Seen {
  heading: string;
  /** Of the heading, CSS pixels. */
  top: number;
  splash: boolean;
}
interface Record {
  frames: Seen[];
  shift: number;
}

/** Runs in the page: notes each change of what is seen, from the first frame on, and how far the layout jumped. */
function watchFrames(): void {
  const record: Record = { frames: [], shift: 0 };
  Object.assign(globalThis, { record });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) record.shift += (entry as PerformanceEntry & { value: number }).value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = () => {
    const isVisible = (element: Element) => element.getClientRects().length > 0;
    const heading = [...document.querySelectorAll('h1')].find(isVisible);
    const seen: Seen = {
      heading: heading?.textContent ?? '',
      top: Math.round(heading?.getBoundingClientRect().top ?? 0),
      splash: [...document.querySelectorAll('.rs-splash')].some(isVisible),
    };
    if (JSON.stringify(seen) !== JSON.stringify(record.frames.at(-1))) record.frames.push(seen);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** As a phone with a slow network has it: the page's code takes seconds. */
async function slowDown(page: Page): Promise<void> {
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  const bytesPerSecond = 120_000;
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}

/** Which of two resources came first: the request of the one was sent before the other was there. */
const isAskedBefore = (page: Page, request: string, file: string): Promise<boolean> =>
  page.evaluate(
    ([first, second]) => {
      const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      const asked = all.find(({ name }) => name.includes(first));
      const loaded = all.find(({ name }) => name.includes(second));
      return asked !== undefined && loaded !== undefined && asked.startTime < loaded.responseEnd;
    },
    [request, file] as const,
  );

for (const colorScheme of ['light', 'dark'] as const) {
  test(`first pages on a slow phone, ${colorScheme}: the heading is there first, stays where it is, and no splash comes between`, async ({
    someone,
    demo,
  }) => {
    const visit = await makeVisit(demo, { minutesAhead: 24 * 60, patient: 1 });
    const pages = [
      {
        address: `/#/link/${visit.accessCode}`,
        headings: ['Welcome', 'You are a little early'],
        there: 'Add to calendar',
        request: '/api/auth/login',
      },
      { address: '/#/login', headings: ['Provider Login'], there: 'Log In', request: '/api/brand' },
      {
        address: await bookingAddress(demo.url),
        headings: ['Whom would you like to see?'],
        there: 'Anyone',
        request: '/api/booking/',
      },
    ];
    for (const { address, headings, there, request } of pages) {
      const { context, page } = await someone({ viewport: phone, colorScheme });
      await page.addInitScript(watchFrames);
      await slowDown(page);
      await page.goto(address);
      await expect(page.getByRole('button', { name: there })).toBeVisible({ timeout: 30_000 });
      const { frames, shift } = await page.evaluate(() => (globalThis as unknown as { record: Record }).record);
      const shown = frames.slice(frames.findIndex(({ heading }) => heading !== ''));
      expect([...new Set(shown.map(({ heading }) => heading))]).toEqual(headings);
      expect(new Set(shown.map(({ top }) => top)).size).toBe(1);
      expect(frames.filter(({ splash }) => splash)).toEqual([]);
      // A little moves when the font comes.
      expect(shift).toBeLessThan(0.01);
      expect(await isAskedBefore(page, request, '/assets/app-')).toBe(true);
      await context.close();
    }
  });
}

test('what is typed into the static form of /link stays when the page takes its place', async ({ someone }) => {
  const { page } = await someone({ viewport: phone });
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/light-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/#/link', { waitUntil: 'commit' });
  const code = page.getByLabel('Access Code (Case Sensitive)');
  await expect(page.locator('[data-first="link"]')).toBeVisible();
  await code.pressSequentially('aB3');
  release();
  await expect(page.locator('[data-first]')).toHaveCount(0);
  await expect(code).toHaveValue('aB3');
  await expect(code).toBeFocused();
});

test('a page whose code cannot be loaded: says so, and Try Again loads it', async ({ someone, allow }) => {
  allow(/ERR_FAILED/);
  const { page } = await someone({ viewport: phone });
  await page.route('**/assets/app-*.js', (route) => route.abort());
  await page.goto('/#/login');
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeFocused();
  await page.unroute('**/assets/app-*.js');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
});

async function bookingAddress(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const user = { email: 'admin@demo.test', password: demoPassword };
  const body = JSON.stringify({ isPatient: false, user });
  const signIn = await fetch(`${url}/api/auth/login`, { method: 'POST', headers, body });
  const { accessToken } = (await signIn.json()) as { accessToken: string };
  const authorization = `Bearer ${accessToken}`;
  const company = await fetch(`${url}/api/companies/0`, { headers: { authorization } });
  const { companyUid } = (await company.json()) as { companyUid: string };
  return `/#/patient/book/${companyUid}`;
}
