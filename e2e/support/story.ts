import AxeBuilder from '@axe-core/playwright';
import { type Browser, type BrowserContext, test as base, expect, type Locator, type Page } from '@playwright/test';
import { CardTraffic } from './card-traffic.ts';
import { type Demo, type DemoServer, demoPassword, startDemo } from './server.ts';
import { slowDownPages } from './slow-down.ts';

/** One person's browser: a separate context with a watched page. */
export interface Someone {
  readonly context: BrowserContext;
  readonly page: Page;
}

interface Options {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  timezoneId?: string;
  serviceWorkers?: 'allow' | 'block';
  /** Another server than that of the worker. */
  url?: string;
  /** Another browser than that of the worker. */
  browser?: Browser;
}

interface WorkerFixtures {
  /** One demo per worker, shared by its stories. */
  demo: Demo;
}

interface Fixtures {
  /** Opens a person's browser. Console errors fail the story, except those that `allow` matches, and so do cards in its traffic. */
  someone(options?: Options): Promise<Someone>;
  /**
   * Starts a demo for this story alone. It is stopped after the pages of `someone` are closed: an open page reports each 503 of a server
   * that stops as an error.
   */
  startOwnDemo: typeof startDemo;
  /** Accepts console errors that the story expects, such as a refused sign-in. */
  allow(pattern: RegExp): void;
  errors: { allowed: RegExp[]; watch(someone: Someone): void };
}

/**
 * Errors that the hub's client may leave when a story moves the page's time: all of its timers fire in one moment, also those of a connection
 * that is just being replaced. It connects again.
 */
export const jumpErrors = /WebSocket|Expected a handshake response|HttpConnection\.stopConnection/;

export const phone = { width: 390, height: 844 };
export const desktop = { width: 1280, height: 800 };

export const test = base.extend<Fixtures, WorkerFixtures>({
  demo: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern.
    async ({}, use) => {
      const demo = await startDemo();
      await use(demo);
      await demo.stop();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  allow: async ({ errors }, use) => use((pattern) => errors.allowed.push(pattern)),
  startOwnDemo: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern.
    async ({}, use) => {
      const started: DemoServer[] = [];
      await use(async (env) => {
        const one = await startDemo(env);
        started.push(one);
        return one;
      });
      for (const one of started) await one.stop();
    },
    // Automatic fixtures are set up before `someone`, and so end after it.
    { auto: true },
  ],
  someone: async ({ browser, demo, errors }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (options = {}) => {
      const someone = await open(options.browser ?? browser, demo, options);
      opened.push(someone.context);
      errors.watch(someone);
      return someone;
    });
    for (const context of opened) await context.close();
  },
  errors: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern.
    async ({}, use) => {
      const seen: string[] = [];
      const allowed: RegExp[] = [];
      const cards = new CardTraffic();
      const watch = ({ context }: Someone) => {
        cards.watch(context);
        context.on('console', (message) => {
          if (message.type() === 'error') seen.push(`${message.text()} (${message.location().url})`);
        });
        context.on('weberror', (error) => seen.push(String(error.error().stack ?? error.error())));
      };
      await use({ allowed, watch });
      expect(await cards.found()).toEqual([]);
      expect(seen.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});

async function open(browser: Browser, demo: Demo, options: Options): Promise<Someone> {
  const context = await browser.newContext({
    baseURL: options.url ?? demo.url,
    viewport: options.viewport ?? desktop,
    colorScheme: options.colorScheme ?? 'light',
    timezoneId: options.timezoneId ?? 'America/New_York',
    reducedMotion: 'reduce',
    serviceWorkers: options.serviceWorkers ?? 'block',
  });
  context.on('page', waitForNextPage);
  await slowDownPages(context);
  await context.addInitScript(noteStatuses);
  return { context, page: await context.newPage() };
}

/**
 * Makes `goto`, `goBack` and `goForward` wait within the application until the heading of the former page has gone or changed: the former page
 * is shown until the next one is ready, and its fields, lists and buttons would take what a story does with the next one. A question may keep
 * the page, a redirect may lead back to it, and another record may have the same heading, which takes five seconds.
 */
function waitForNextPage(page: Page): void {
  // Another document does not have the property.
  const remember = () => {
    const former = document.querySelector('h1');
    Object.assign(globalThis, { former });
    return former?.textContent;
  };
  const hasGone = ([text, address]: readonly string[]) => {
    const { former } = globalThis as { former?: Element };
    const isQuestioned = document.querySelector('[role="alertdialog"]') !== null;
    return !former?.isConnected || former.textContent !== text || location.href === address || isQuestioned;
  };
  const waiting =
    <A extends unknown[], R>(open: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const before = page.url();
      const words = await page.evaluate(remember).catch(() => undefined);
      const response = await open(...args);
      if (words === undefined || page.url() === before) return response;
      await page.waitForFunction(hasGone, [words, before] as const, { timeout: 5_000 }).catch(() => undefined);
      return response;
    };
  page.goto = waiting(page.goto.bind(page));
  page.goBack = waiting(page.goBack.bind(page));
  page.goForward = waiting(page.goForward.bind(page));
}

/** Signs a demo user in by the form, also on a page after a sign-out. */
export async function signInByForm(page: Page, email: string): Promise<void> {
  await page.goto('/#/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(demoPassword);
  await page.getByRole('button', { name: 'Log In' }).click();
}

/**
 * Signs a demo user in and opens the waiting room, or their other first page. The form has its own stories
 * (sign-in.e2e.ts); here it would only take time.
 */
export async function signIn(page: Page, email: string): Promise<void> {
  const data = { isPatient: false, user: { email, password: demoPassword } };
  const answer = await page.context().request.post('/api/auth/login', { data });
  expect(answer.status()).toBe(200);
  await page.goto('/#/waiting-room');
}

/** Keeps in each document the texts that its statuses and failed actions have shown: a toast is gone after seconds, and this process may be late. */
export function noteStatuses(): void {
  const noted: string[] = [];
  const shown = new WeakMap<Element, string>();
  const note = () => {
    for (const status of document.querySelectorAll('[role="status"], .MuiSnackbar-root [role="alert"]')) {
      const text = status.textContent;
      if (text === shown.get(status) || !status.checkVisibility()) continue;
      shown.set(status, text);
      if (text !== '') noted.push(text);
    }
  };
  Object.assign(globalThis, { noted });
  new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
}

/** The title of the page; not those of the static pages, which are there until the styles of another document are loaded. */
export const headingOf = (page: Page): Locator =>
  page.getByRole('heading', { level: 1 }).and(page.locator(':not([data-first] *)'));

/** Expects that a toast is or was shown since the last one of this text was expected, and closes it, because the next one waits until it is gone. */
export async function expectToast(page: Page, text: string): Promise<void> {
  const close = (wanted: string) => {
    const { noted = [] } = globalThis as { noted?: string[] };
    const at = noted.findIndex((one) => one.includes(wanted));
    if (at === -1) return false;
    noted.splice(at, 1);
    const toasts = document.querySelectorAll('[role="status"], .MuiSnackbar-root [role="alert"]');
    const toast = [...toasts].find((one) => one.textContent.includes(wanted));
    toast?.querySelector<HTMLElement>('button[aria-label="Close"]')?.click();
    return true;
  };
  await page.waitForFunction(close, text, { polling: 100, timeout: 60_000 });
}

/** Does something, and expects that a status on the page has exactly this text then or later, be it for a second. */
export async function expectBriefly(page: Page, text: string, cause: () => Promise<unknown>): Promise<void> {
  const count = () => (globalThis as { noted?: string[] }).noted?.length ?? 0;
  const before = await page.evaluate(count);
  // After another document was loaded all that it has shown came later.
  const isNoted = ([wanted, from]: readonly [string, number]) => {
    const { noted = [] } = globalThis as { noted?: string[] };
    return noted.slice(noted.length < from ? 0 : from).includes(wanted);
  };
  // From before the cause: the page may leave its document a second after it.
  const noted = page.waitForFunction(isNoted, [text, before] as const, { polling: 100, timeout: 60_000 });
  await Promise.all([cause(), noted]);
}

/**
 * Does something, and expects a notice or sheet with this text, be it for a second: a button in it gets the focus as soon as the page shows it.
 * It does not end by itself while the focus is in it.
 */
export async function keepNotice<T>(page: Page, text: string, cause: () => Promise<T>): Promise<T> {
  const focus = (wanted: string) => {
    const all = [...document.querySelectorAll('[role="status"], [role="alert"], [role="dialog"]')];
    const [inside] = all
      .filter((one) => one.textContent.includes(wanted))
      .flatMap((one) => one.querySelector('button') ?? []);
    inside?.focus();
    return inside !== undefined && document.activeElement === inside;
  };
  const kept = page.waitForFunction(focus, text, { polling: 50, timeout: 90_000 });
  const [result] = await Promise.all([cause(), kept]);
  return result;
}

/** Types into a field from within its page: by this process, two keys may be half a second apart on a busy machine. */
export const typeInPage = (field: Locator, text: string, delayMs: number): Promise<void> =>
  field.evaluate(
    async (element, [keys, delay]) => {
      element.focus();
      for (const key of keys) {
        document.execCommand('insertText', false, key);
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    },
    [text, delayMs] as const,
  );

/** Waits until a list has rows, all with this text: until a search has reached it, its rows may move away from the mouse. */
export async function expectRowsOf(page: Page, text: string): Promise<void> {
  const rows = page.locator('tbody').getByRole('row');
  await expect(rows.filter({ hasText: text }).first()).toBeVisible();
  await expect(rows.filter({ hasNotText: text })).toHaveCount(0);
}

/** Expects that axe finds nothing on the page. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    // Without frames and passed checks, which take seconds.
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual([]);
}

/** Expects that axe finds nothing on a light phone and on a dark desktop; the page stays dark. */
export async function expectAccessibleEverywhere(page: Page): Promise<void> {
  for (const [viewport, colorScheme] of [
    [phone, 'light'],
    [desktop, 'dark'],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    // Rows that are read again are pale, and colors in a transition are not what a person reads.
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    await page.waitForFunction(() => !document.getAnimations().some((one) => one instanceof CSSTransition));
    await expectAccessible(page);
  }
}

export { expect };
