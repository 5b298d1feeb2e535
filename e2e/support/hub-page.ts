import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type * as SignalR from '@microsoft/signalr';
import { test as base, expect } from '@playwright/test';
import { type HubOptions, type ServedHub, serveHub } from './hub-server.ts';
import { type Nginx, startNginx } from './nginx.ts';
import { type Evaluates, openTab, type Tab } from './tab.ts';

/** A page with the unmodified SignalR client only, on another origin than the hub's. */

export const transports = ['WebSockets', 'ServerSentEvents', 'LongPolling'] as const;
export type Transport = (typeof transports)[number];

export interface Site {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The same page on another origin: `http://localhost:<port>` */
  readonly otherUrl: string;
}

export interface ConnectOptions {
  readonly transport: Transport;
  readonly token?: string;
  readonly tab?: string;
  readonly skipNegotiation?: boolean;
}

/** What a page stores of its connection. */
interface Kept {
  connection: SignalR.HubConnection;
  numbers: number[];
  events: string[];
}
interface Scope {
  signalR: typeof SignalR;
  kept: Kept;
  /** How many times an interval of 20 ms has run. */
  ticks: number;
}

const html = `<!doctype html><title>Hub</title><link rel="icon" href="data:,"><script src="/signalr.js"></script>
<script>
  var ticks = 0;
  setInterval(() => ticks++, 20);
</script>`;

async function servePage(): Promise<{ site: Site; close(): void }> {
  const client = fs.readFileSync(
    fileURLToPath(new URL('../browser/signalr.js', import.meta.resolve('@microsoft/signalr'))),
  );
  const server = createServer(({ url }, response) => {
    const isClient = url === '/signalr.js';
    response.writeHead(200, { 'Content-Type': isClient ? 'text/javascript' : 'text/html; charset=utf-8' });
    response.end(isClient ? client : html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    site: { url: `http://127.0.0.1:${port}`, otherUrl: `http://localhost:${port}` },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Fixtures {
  site: Site;
  /** Serves a hub until the test ends; pages of the site may connect unless `origins` says otherwise. */
  serve(options?: HubOptions): Promise<ServedHub>;
  /** Puts nginx in front of a hub until the test ends. */
  nginxFor(hub: ServedHub): Promise<Nginx>;
  /** A tab with the site's page that can freeze. */
  tab: Tab;
}

export const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern.
  site: async ({}, use) => {
    const { site, close } = await servePage();
    await use(site);
    close();
  },
  serve: async ({ site }, use) => {
    const served: ServedHub[] = [];
    await use(async (options) => {
      const one = await serveHub({ origins: [site.url], ...options });
      served.push(one);
      return one;
    });
    for (const one of served) await one.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the pattern.
  nginxFor: async ({}, use) => {
    const started: Nginx[] = [];
    await use(async ({ port }) => {
      const one = await startNginx(port);
      started.push(one);
      return one;
    });
    for (const one of started) await one.stop();
  },
  tab: async ({ browser, site }, use) => {
    const tab = await openTab(browser, site.url);
    await use(tab);
    await tab.close();
  },
});

/** Connects as an application would, with automatic reconnect. Rejects as the client's `start` does. */
export function connect(page: Evaluates, url: string, options: ConnectOptions): Promise<void> {
  return page.evaluate(
    async ([base, { transport, token, tab, skipNegotiation = false }]) => {
      const scope = globalThis as unknown as Scope;
      const { HttpTransportType, HubConnectionBuilder, LogLevel } = scope.signalR;
      const connection = new HubConnectionBuilder()
        .withUrl(`${base}/hub${tab ? `?tab=${tab}` : ''}`, {
          transport: HttpTransportType[transport],
          withCredentials: true,
          skipNegotiation,
          ...(token && { accessTokenFactory: () => token }),
        })
        .withAutomaticReconnect([0, 50, 100, 500, 1_000])
        .withStatefulReconnect()
        .withKeepAliveInterval(500)
        .configureLogging(LogLevel.None)
        .build();
      const kept: Kept = { connection, numbers: [], events: [] };
      connection.on('Number', (value: number) => kept.numbers.push(value));
      connection.onreconnecting(() => kept.events.push('reconnecting'));
      connection.onreconnected(() => kept.events.push('reconnected'));
      connection.onclose(() => kept.events.push('closed'));
      scope.kept = kept;
      await connection.start();
    },
    [url, options] as const,
  );
}

export const echo = (page: Evaluates, text: string) =>
  page.evaluate((value) => (globalThis as unknown as Scope).kept.connection.invoke<string>('Echo', value), text);

/** Calls the method that never returns, without waiting for it. */
export const beginWaiting = (page: Evaluates) =>
  page.evaluate(() => {
    (globalThis as unknown as Scope).kept.connection.invoke('Wait').catch(() => {});
  }, undefined);

export const stop = (page: Evaluates) =>
  page.evaluate(() => (globalThis as unknown as Scope).kept.connection.stop(), undefined);

/** The numbers that were pushed to the page, in order. */
export const numbersOf = (page: Evaluates) =>
  page.evaluate(() => (globalThis as unknown as Scope).kept.numbers, undefined);

/** The client's events: `reconnecting`, `reconnected`, `closed`. */
export const eventsOf = (page: Evaluates) =>
  page.evaluate(() => (globalThis as unknown as Scope).kept.events, undefined);

const ticksOf = (page: Evaluates) => page.evaluate(() => (globalThis as unknown as Scope).ticks, undefined);

/** Runs something while the tab is frozen; fails when its timers have run. */
export async function whileFrozen(tab: Tab, run: () => Promise<void>): Promise<void> {
  await expect.poll(() => ticksOf(tab)).toBeGreaterThan(0);
  await tab.freeze();
  // The browser replies before the page has stopped. A page that waits for the processor does not tick for a while either.
  let before = -1;
  let equal = 0;
  const hasStopped = async () => {
    const earlier = before;
    before = await ticksOf(tab);
    equal = before === earlier ? equal + 1 : 0;
    return equal >= 3;
  };
  await expect.poll(hasStopped, { intervals: [100] }).toBe(true);
  await run();
  expect(await ticksOf(tab)).toBe(before);
  await tab.thaw();
  await expect.poll(() => ticksOf(tab)).toBeGreaterThan(before);
}

export { expect };
