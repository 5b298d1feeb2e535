import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, expectAccessible, phone, signIn, test } from './support/story.ts';

test('menu: depends on the role @MENU-1 @MENU-3', async ({ someone }) => {
  const common = ['Today', 'Schedule', 'Patients'];
  const people = [
    ['doctor@demo.test', [...common, 'My Account', 'Logout']],
    ['staff@demo.test', [...common, 'My Account', 'Logout']],
    ['admin@demo.test', [...common, 'Admin', 'Logout']],
  ] as const;
  for (const [email, expected] of people) {
    const { page, context } = await someone();
    await signIn(page, email);
    await expect(page.getByRole('heading', { name: 'Waiting Room' })).toBeVisible();
    const shown = await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link').allTextContents();
    expect(shown).toEqual(expected);
    await context.close();
  }
});

test('menu under 750 px: is behind a button; the toolbar is lower under 600 px; five taps on the title show the build @MENU-5 @CONST-3', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: { width: 750, height: 800 } });
  await signIn(page, 'doctor@demo.test');
  const title = page.getByRole('heading', { name: 'Waiting Room' });
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  await expect(title).toBeVisible();
  await expect(menu).toBeVisible();
  await page.setViewportSize({ width: 749, height: 800 });
  await expect(menu).toHaveCount(0);
  await page.getByRole('button', { name: 'Open menu' }).click();
  await expectAccessible(page);
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/api\/patients\?/, async (route) => {
    await held;
    await route.continue();
  });
  await menu.getByRole('link', { name: 'Patients' }).click();
  await expect(menu).toHaveCount(0);
  const bar = page.getByRole('progressbar', { name: 'Loading' });
  await expect(bar).toBeVisible();
  answer();
  await expect(bar).toHaveCount(0);
  const toolbar = page.getByRole('banner').locator('.MuiToolbar-root');
  await page.setViewportSize({ width: 599, height: 800 });
  await expect(toolbar).toHaveCSS('height', '56px');
  await page.setViewportSize({ width: 600, height: 800 });
  await expect(toolbar).toHaveCSS('height', '64px');
  await page.setViewportSize({ width: 1000, height: 800 });
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.getByRole('heading', { name: 'Patients' }).click({ clickCount: 5 });
  await expect(page.getByText(/^Build [0-9a-f]{8}$/)).toBeVisible();
});

test('addresses: use the hash; the default is /link, unknown ones are not found, and /offline exists @MISSING-1 @ROUTE-1', async ({
  someone,
}) => {
  const { page } = await someone({ viewport: phone });
  await page.goto('/');
  await expect(page).toHaveURL(/#\/link$/);
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible();
  await page.goto('/#/no/such/page');
  await expect(page).toHaveURL(/#\/not-found$/);
  await expect(page.getByText('You have requested an invalid route')).toBeVisible();
  await expect(page.getByText(/contact the developers/)).toBeVisible();
  await expectAccessible(page);
  await page.goto('/#/offline');
  await expect(page.getByText('You seem offline')).toBeVisible();
});

test('page without a connection: goes to /offline, and comes back with the connection @MISSING-2 @ERROR-1 @CONST-13 @CALL-32', async ({
  someone,
  allow,
}) => {
  allow(/ERR_FAILED/);
  const { page } = await someone();
  const away = /\/(messaging|ping)(\/|\?|$)/;
  await page.route(away, (route) => route.abort());
  await signIn(page, 'doctor@demo.test');
  await expect(page.getByText('Cannot connect to the messaging hub.')).toBeVisible();
  await expect(page).toHaveURL(/#\/offline$/);
  await expect(page.getByRole('heading', { name: 'OH NO...' })).toBeVisible();
  await expect(page.getByText('You seem offline')).toBeVisible();
  const pinged = page.waitForRequest(/\/ping$/);
  await page.getByRole('button', { name: 'Try Again' }).click();
  await pinged;
  await expectAccessible(page);
  await expect(page).toHaveURL(/#\/offline$/);
  const connected = page.waitForEvent('websocket');
  await page.unroute(away);
  await expect(page).toHaveURL(/#\/waiting-room$/);
  await connected;
});

test('new version: is found within 6 hours, offered, and loaded @MENU-6 @CONST-13 @CALL-32', async ({ someone }) => {
  const site = await serveBuild();
  const { context } = await someone({ serviceWorkers: 'allow' });
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(`${site.url}/#/link`);
  // Registered when the page is idle; the first worker takes over without a question.
  const script = () => page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
  expect(await script()).toBe(`${site.url}/ngsw-worker.js`);
  await page.reload();
  const code = page.getByLabel('Access Code (Case Sensitive)');
  await code.fill('a');
  site.release();
  const isFound = async () => {
    await page.clock.fastForward('06:00:00');
    return page.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null);
  };
  await expect.poll(isFound).toBe(true);
  // The light page has no dialogs: it is reloaded once no code is typed.
  // Before that the page asks the new worker to take over.
  await page.evaluate(() => {
    const { postMessage } = ServiceWorker.prototype;
    const asked: unknown[] = [];
    Object.assign(globalThis, { asked });
    Object.assign(ServiceWorker.prototype, {
      postMessage(this: ServiceWorker, message: unknown, options?: StructuredSerializeOptions) {
        asked.push(message);
        postMessage.call(this, message, options);
      },
    });
  });
  await page.clock.fastForward(60_000);
  await expect(code).toHaveValue('a');
  expect(await page.evaluate(() => (globalThis as unknown as { asked?: unknown[] }).asked)).toEqual([]);
  await code.fill('');
  const loaded = page.waitForEvent('load');
  await page.clock.fastForward(60_000);
  await loaded;
  expect(await script()).toBe(`${site.url}/ngsw-worker.js`);

  await page.goto(`${site.url}/#/not-found`);
  await expect(page.getByText('You have requested an invalid route')).toBeVisible();
  site.release();
  // The page begins to check when it is idle, which may be after a first jump.
  await expect.poll(isFound).toBe(true);
  const question = page.getByRole('alertdialog', { name: 'A new version is available' });
  await expect(question).toContainText('Would you like to reload the application?');
  const reloaded = page.waitForEvent('load');
  await question.getByRole('button', { name: 'Reload' }).click();
  await reloaded;
  await expect(page.getByText('You have requested an invalid route')).toBeVisible();
  // The page sends its first request; without a server nothing refuses it.
  await context.close();
  site.close();
});

/** A separate server of the built web that can switch to another version. */
async function serveBuild() {
  const folder = path.join(import.meta.dirname, '../web/dist');
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
  };
  let version = 1;
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = path.join(folder, pathname === '/' ? 'index.html' : path.normalize(pathname));
    if (!file.startsWith(folder) || !fs.existsSync(file)) {
      response.writeHead(/^\/api\/(auth\/refresh|brand)$/.test(pathname) ? 200 : 404, {
        'content-type': 'application/json',
      });
      return response.end('{"signedIn":false}');
    }
    response.writeHead(200, {
      'content-type': types[path.extname(file)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
    });
    const worker = pathname === '/ngsw-worker.js' ? `\n// version ${version}` : '';
    return response.end(Buffer.concat([fs.readFileSync(file), Buffer.from(worker)]));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    release: () => {
      version += 1;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
