import { setTimeout as pause } from 'node:timers/promises';
import type { DisconnectReason } from '@roomside/signalr';
import {
  beginWaiting,
  connect,
  echo,
  eventsOf,
  expect,
  numbersOf,
  stop,
  type Transport,
  test,
  transports,
  whileFrozen,
} from './support/hub-page.ts';
import type { ServedHub } from './support/hub-server.ts';
import { nginxProgram } from './support/nginx.ts';

const unique = (texts: readonly string[]) => [...new Set(texts)].sort();
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The preflights of the browser, by transport: requests with a header of the client. */
const preflights: Record<Transport, readonly string[]> = {
  WebSockets: ['POST /hub/negotiate'],
  ServerSentEvents: ['POST /hub', 'POST /hub/negotiate'],
  LongPolling: ['DELETE /hub', 'GET /hub', 'POST /hub', 'POST /hub/negotiate'],
};

/** Where the browser sends the token, by transport. */
const places: Record<Transport, readonly string[]> = {
  WebSockets: ['GET /hub: query', 'POST /hub/negotiate: header'],
  ServerSentEvents: ['GET /hub: query', 'POST /hub/negotiate: header', 'POST /hub: header'],
  LongPolling: ['DELETE /hub: header', 'GET /hub: header', 'POST /hub/negotiate: header', 'POST /hub: header'],
};

/** Expects that the page has closed its connection, and no other connection has changed since `before`. */
async function expectGoodbye(hub: ServedHub, ...before: DisconnectReason[]): Promise<void> {
  await expect.poll(() => hub.reasons).toEqual([...before, 'client-stop']);
}

/** Rule numbers for a closed page and a frozen page, by transport. */
const rules: Record<Transport, { readonly gone: string; readonly frozen: string }> = {
  WebSockets: { gone: 'W5', frozen: 'L2' },
  ServerSentEvents: { gone: 'V2', frozen: 'V3 L2' },
  LongPolling: { gone: 'P6', frozen: 'P6' },
};

const preflightsOf = ({ asked }: ServedHub) =>
  unique(asked.filter(({ method }) => method === 'OPTIONS').map(({ wants, path }) => `${wants} ${path}`));

for (const transport of transports) {
  test(`C1 C2 page of an allowed origin: connects with its cookies: ${transport}`, async ({ page, site, serve }) => {
    const hub = await serve();
    await page.context().addCookies([{ name: 'ticket', value: 'blue', url: hub.url }]);
    await page.goto(site.url);
    await connect(page, hub.url, { transport });
    expect(await echo(page, 'Good morning')).toBe('Good morning');
    expect(hub.control.connections()).toMatchObject([{ transport }]);
    await stop(page);
    await expectGoodbye(hub);
    expect(preflightsOf(hub)).toEqual(preflights[transport]);
    const others = hub.asked.filter(({ method }) => method !== 'OPTIONS');
    expect(unique(others.map(({ cookie, origin }) => `${cookie} of ${origin}`))).toEqual([
      `ticket=blue of ${site.url}`,
    ]);
  });

  test(`A1 token: is in the query only where a browser has no headers: ${transport}`, async ({ page, site, serve }) => {
    const token = 'a+b/c=d%e&f?g';
    const hub = await serve();
    await page.goto(site.url);
    await connect(page, hub.url, { transport, token });
    expect(await echo(page, 'Good morning')).toBe('Good morning');
    await stop(page);
    await expectGoodbye(hub);
    expect(unique(hub.judged.map(({ request, place }) => `${request}: ${place}`))).toEqual(places[transport]);
    expect(unique(hub.judged.map((one) => one.token ?? 'none'))).toEqual([token]);
  });

  test(`${rules[transport].frozen} freeze longer than the timeout: the client reconnects: ${transport}`, async ({
    tab,
    serve,
  }) => {
    const hub = await serve({ timings: { keepAliveMs: 500, clientTimeoutMs: 4_000, pollGapMs: 4_000 } });
    await connect(tab, hub.url, { transport });
    await echo(tab, 'Here');
    const anna = hub.control.user('anna');
    await whileFrozen(tab, async () => {
      for (const value of [1, 2, 3]) anna.Number(value);
      await expect.poll(() => hub.reasons).toEqual([transport === 'LongPolling' ? 'lost' : 'timeout']);
      // No client is connected to receive these.
      for (const value of [4, 5, 6]) expect(anna.Number(value)).toBe(0);
    });
    await expect.poll(() => eventsOf(tab)).toEqual(['reconnecting', 'reconnected']);
    expect(unique(hub.connected)).toHaveLength(2);
    expect(await echo(tab, 'Back')).toBe('Back');
    anna.Number(7);
    // What is in a response is read later; the browser drops the WebSockets of a frozen page.
    await expect.poll(() => numbersOf(tab)).toEqual(transport === 'WebSockets' ? [7] : [1, 2, 3, 7]);
    expect(hub.control.connections()).toHaveLength(1);
  });

  test(`G1 freeze shorter than the timeout: loses nothing: ${transport}`, async ({ tab, serve }) => {
    const hub = await serve();
    await connect(tab, hub.url, { transport });
    await echo(tab, 'Here');
    await whileFrozen(tab, async () => {
      // Sent over a second.
      for (const value of upTo(50)) {
        hub.control.user('anna').Number(value);
        await pause(20);
      }
    });
    expect(await echo(tab, 'Still here')).toBe('Still here');
    await expect.poll(() => numbersOf(tab)).toEqual(upTo(50));
    expect(await eventsOf(tab)).toEqual([]);
    expect(hub.connected).toHaveLength(1);
    expect(hub.reasons).toEqual([]);
  });

  test(`${rules[transport].gone} E2 reload during a call: ends the old connection and its call once: ${transport}`, async ({
    page,
    site,
    serve,
  }) => {
    const hub = await serve({ timings: { pollGapMs: 8_000 } });
    await page.goto(site.url);
    await connect(page, hub.url, { transport });
    await beginWaiting(page);
    await expect.poll(() => hub.waits.begun).toBe(1);
    await page.reload();
    await connect(page, hub.url, { transport });
    expect(await echo(page, 'Here again')).toBe('Here again');
    await expect.poll(() => hub.reasons).toEqual(['lost']);
    expect(hub.waits).toEqual({ begun: 1, aborted: 1 });
    expect(unique(hub.connected)).toHaveLength(2);
    await stop(page);
    await expectGoodbye(hub, 'lost');
  });
}

test('C2 page of another origin: fails at the preflight, before any transport', async ({ page, site, serve }) => {
  const hub = await serve();
  await page.goto(site.otherUrl);
  await expect(connect(page, hub.url, { transport: 'WebSockets' })).rejects.toThrow('Failed to complete negotiation');
  expect(preflightsOf(hub)).toEqual(['POST /hub/negotiate']);
  expect(hub.asked.filter(({ method }) => method !== 'OPTIONS')).toEqual([]);
  expect(hub.stats()).toMatchObject({ connections: 0, negotiations: 0 });
  expect(hub.connected).toEqual([]);
});

test('C3 WebSocket of another origin without negotiation: is refused', async ({ page, site, serve }) => {
  const hub = await serve();
  const options = { transport: 'WebSockets', skipNegotiation: true } as const;
  await page.goto(site.otherUrl);
  await expect(connect(page, hub.url, options)).rejects.toThrow('WebSocket failed to connect');
  expect(hub.asked).toMatchObject([{ method: 'GET', path: '/hub', origin: site.otherUrl }]);
  expect(hub.judged).toEqual([]);
  expect(hub.stats().connections).toBe(0);
  // From the allowed origin it is accepted.
  await page.goto(site.url);
  await connect(page, hub.url, options);
  expect(hub.stats().connections).toBe(1);
});

test('A2 C2 refused token: a page of an allowed origin sees the status', async ({ page, site, serve }) => {
  const hub = await serve({ refused: ['stale'] });
  await page.goto(site.url);
  for (const transport of transports) {
    // A browser hides the status of a response without the right headers.
    await expect(connect(page, hub.url, { transport, token: 'stale' })).rejects.toThrow("Status code '401'");
  }
  expect(hub.stats()).toMatchObject({ connections: 0, negotiations: 0 });
});

test('E3 reloaded tab with an identity: replaces its earlier connection immediately', async ({ page, site, serve }) => {
  // Otherwise its loss would be noticed after an hour.
  const hub = await serve({ timings: { pollGapMs: 3_600_000 } });
  const options = { transport: 'LongPolling', tab: 'one' } as const;
  await page.goto(site.url);
  await connect(page, hub.url, options);
  await beginWaiting(page);
  await expect.poll(() => hub.waits.begun).toBe(1);
  await page.reload();
  expect(hub.reasons).toEqual([]);
  await connect(page, hub.url, options);
  await expect.poll(() => hub.reasons).toEqual(['replaced']);
  expect(hub.waits).toEqual({ begun: 1, aborted: 1 });
  expect(hub.control.connections()).toMatchObject([{ identity: 'one', connectionId: hub.connected[1] }]);
  expect(await echo(page, 'Here again')).toBe('Here again');
});

test('E3 two tabs with one identity: the older one is closed for good', async ({ page, context, site, serve }) => {
  const hub = await serve();
  await page.goto(site.url);
  await connect(page, hub.url, { transport: 'WebSockets', tab: 'one' });
  const copy = await context.newPage();
  await copy.goto(site.url);
  await connect(copy, hub.url, { transport: 'WebSockets', tab: 'one' });
  await expect.poll(() => eventsOf(page)).toEqual(['closed']);
  expect(hub.reasons).toEqual(['replaced']);
  expect(await echo(copy, 'Here')).toBe('Here');
});

test('S2 S3 S4 S10 frozen page with a broken connection: receives everything once and in order', async ({
  tab,
  serve,
}) => {
  const hub = await serve();
  await connect(tab, hub.url, { transport: 'WebSockets' });
  await echo(tab, 'Here');
  await whileFrozen(tab, async () => {
    for (const value of upTo(40)) {
      if (value === 20) hub.cut();
      hub.control.user('anna').Number(value);
      await pause(20);
    }
  });
  await expect.poll(() => numbersOf(tab)).toEqual(upTo(40));
  expect(await echo(tab, 'Still here')).toBe('Still here');
  // The same connection; the application has noticed nothing.
  expect(hub.resumed).toEqual(hub.connected);
  expect(hub.connected).toHaveLength(1);
  expect(await eventsOf(tab)).toEqual([]);
  expect(hub.reasons).toEqual([]);
});

test('S2 F3 page frozen beyond the resume time: connects again', async ({ tab, serve }) => {
  const hub = await serve({ statefulReconnect: { holdMs: 3_000 } });
  await connect(tab, hub.url, { transport: 'WebSockets' });
  await echo(tab, 'Here');
  await whileFrozen(tab, async () => {
    hub.cut();
    await expect.poll(() => hub.stats().transports.none).toBe(1);
    hub.control.user('anna').Number(1);
    await expect.poll(() => hub.reasons).toEqual(['lost']);
  });
  await expect.poll(() => eventsOf(tab)).toEqual(['reconnecting', 'reconnected']);
  expect(await echo(tab, 'Back')).toBe('Back');
  hub.control.user('anna').Number(2);
  await expect.poll(() => numbersOf(tab)).toEqual([2]);
  expect(hub.resumed).toEqual([]);
  expect(unique(hub.connected)).toHaveLength(2);
});

test.describe('hub behind nginx with its default buffering', () => {
  test.skip(nginxProgram === null, 'nginx is not installed');

  const ways = [
    ...transports.map((transport) => ({ transport, way: 'url', words: 'that passes upgrades on' }) as const),
    { transport: 'ServerSentEvents', way: 'bareUrl', words: 'without upgrade headers' },
    { transport: 'LongPolling', way: 'bareUrl', words: 'without upgrade headers' },
  ] as const;

  for (const { transport, way, words } of ways) {
    test(`V1 pushes through an nginx ${words}: arrive one by one: ${transport}`, async ({
      page,
      site,
      serve,
      nginxFor,
    }) => {
      const hub = await serve();
      const nginx = await nginxFor(hub);
      await page.goto(site.url);
      await connect(page, nginx[way], { transport });
      expect(hub.control.connections()).toMatchObject([{ transport }]);
      expect(await echo(page, 'Hello')).toBe('Hello');
      // Each before the next is sent: buffered ones would not arrive.
      for (const value of upTo(10)) {
        hub.control.user('anna').Number(value);
        await expect.poll(() => numbersOf(page), { intervals: [5] }).toEqual(upTo(value + 1));
      }
      await stop(page);
      await expectGoodbye(hub);
    });
  }

  test('V1 nginx that ignores the hub’s headers: buffers the events, and the handshake fails', async ({
    page,
    site,
    serve,
    nginxFor,
  }) => {
    const hub = await serve({ timings: { handshakeMs: 1_000 } });
    const nginx = await nginxFor(hub);
    await page.goto(site.url);
    await expect(connect(page, nginx.deafUrl, { transport: 'ServerSentEvents' })).rejects.toThrow();
    expect(hub.connected).toEqual([]);
  });
});
