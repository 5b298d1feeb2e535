import type { Page } from '@playwright/test';
import { demoPassword } from './support/server.ts';
import { expect, phone, test } from './support/story.ts';
import { buildAppointmentInRoom } from './support/visit.ts';

interface Seen {
  heading: string;
  /** Position of the heading, CSS pixels. */
  top: number;
  splash: boolean;
}
interface Record {
  frames: Seen[];
  shift: number;
}

/** Runs in the page: records what is visible from the first frame on, and the layout shift. */
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

/** Delays the code behind the small entry, as a slow network does, until the returned function is called. */
async function holdPrograms(page: Page): Promise<() => void> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/(light|app|patient|login)-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`first pages before their code, ${colorScheme}: show heading and first request; the heading does not move`, async ({
    someone,
    demo,
  }) => {
    const visit = await buildAppointmentInRoom(demo, { minutesAhead: 24 * 60, patient: 1 });
    const pages = [
      {
        address: `/#/link/${visit.accessCode}`,
        headings: ['Welcome', 'Your visit is coming up'],
        there: 'Add to calendar',
        request: '/api/auth/login',
      },
      { address: '/#/login', headings: ['Provider Login'], there: 'Log In', request: '/api/brand' },
      {
        address: await bookingAddress(demo.url),
        headings: ['Who would you like to see?'],
        there: 'Any provider',
        request: '/api/booking/',
      },
    ];
    for (const { address, headings, there, request } of pages) {
      const { context, page } = await someone({ viewport: phone, colorScheme });
      await page.addInitScript(watchFrames);
      const release = await holdPrograms(page);
      const asked = page.waitForRequest((sent) => new URL(sent.url()).pathname.startsWith(request));
      await page.goto(address, { waitUntil: 'commit' });
      // All are visible until the style sheet is loaded.
      await expect(page.locator('[data-first]:visible')).toHaveCount(1);
      await expect(page.getByRole('heading', { name: headings[0] ?? '' })).toBeVisible();
      await asked;
      release();
      await expect(page.getByRole('button', { name: there })).toBeVisible();
      // What is shown now is recorded in the next frame.
      const { frames, shift } = await page.evaluate(async () => {
        await new Promise(requestAnimationFrame);
        return (globalThis as unknown as { record: Record }).record;
      });
      const shown = frames.slice(frames.findIndex(({ heading }) => heading !== ''));
      expect([...new Set(shown.map(({ heading }) => heading))]).toEqual(headings);
      expect(new Set(shown.map(({ top }) => top)).size).toBe(1);
      expect(frames.filter(({ splash }) => splash)).toEqual([]);
      // The font shifts the layout a little.
      expect(shift).toBeLessThan(0.01);
      await context.close();
    }
  });
}

test('text typed into the static form of /link: stays when the page replaces it', async ({ someone }) => {
  const { page } = await someone({ viewport: phone });
  const release = await holdPrograms(page);
  await page.goto('/#/link', { waitUntil: 'commit' });
  const code = page.getByLabel('Access Code (Case Sensitive)');
  await expect(page.locator('[data-first="link"]')).toBeVisible();
  // Before its first paint a browser drops keys.
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  await code.pressSequentially('aB3');
  await expect(code).toHaveValue('aB3');
  release();
  await expect(page.locator('[data-first]')).toHaveCount(0);
  await expect(code).toHaveValue('aB3');
  await expect(code).toBeFocused();
});

test('page whose code cannot be loaded: shows an error, and Try Again loads it', async ({ someone, allow }) => {
  allow(/ERR_FAILED/);
  const { page } = await someone({ viewport: phone });
  await page.route('**/assets/app-*.js', (route) => route.abort());
  await page.goto('/#/login');
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeFocused();
  await page.unroute('**/assets/app-*.js');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
});

test('page whose code is lost on the way: asks for it again, and opens', async ({ someone, allow }) => {
  allow(/ERR_CONNECTION_RESET/);
  const { page } = await someone({ viewport: phone });
  const lost: string[] = [];
  await page.route(/\/assets\/(app|login|forms)-/, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (lost.filter((one) => one === pathname).length === 2) return route.fallback();
    lost.push(pathname);
    await route.abort('connectionreset');
  });
  await page.goto('/#/login');
  await expect(page.getByRole('button', { name: 'Log In' })).toBeVisible();
  expect(lost.length).toBeGreaterThanOrEqual(4);
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
