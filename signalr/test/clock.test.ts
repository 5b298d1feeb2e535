import { once } from 'node:events';
import http from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type DisconnectReason, hub } from '../src/index.ts';
import { negotiate, Raw, refusedUpgrade, type Served, serve, stateful } from './support.ts';

/** Timeouts and intervals, with a clock that only the test moves. */

const definition = (reasons: DisconnectReason[]) =>
  hub<{ Echo(value: unknown): unknown; Wait(): void }, { Said(text: string): void }, { until: number }>({
    path: '/hub',
    authenticate: ({ token = '' }) => {
      const [userId, until] = token.split('@');
      return { userId, claims: { until: Number(until) }, ...(until && { expiresAt: Number(until) }) };
    },
    closeOnAuthExpiration: true,
    limits: { bufferedBytes: 1 << 28 },
    methods: { Echo: (_ctx, value) => value, Wait: () => new Promise(() => {}) },
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });

async function start(options: Parameters<typeof serve>[1] = {}) {
  const reasons: DisconnectReason[] = [];
  const made = definition(reasons);
  const served = await serve(made, options);
  return { ...served, url: `${served.url}/hub`, reasons, control: served.hubs.of(made) };
}

const handshake = '{"protocol":"json","version":1}\x1e';
const seconds = ({ clock }: Pick<Served, 'clock'>, count: number) => {
  for (let second = 0; second < count; second++) clock.advance(1_000);
};

async function polling(url: string, token = 'anna') {
  const headers = { authorization: `Bearer ${token}` };
  const { connectionToken } = await negotiate(url, undefined, headers);
  const at = `${url}?id=${connectionToken}`;
  const poll = async (as = headers) => {
    const response = await fetch(at, { headers: as });
    return [response.status, await response.text()];
  };
  await poll();
  await fetch(at, { method: 'POST', body: handshake, headers });
  expect(await poll()).toEqual([200, '{}\x1e']);
  return { at, poll };
}

test('L1 keep-alive: a ping after 15 s without a message, and not earlier', async () => {
  const served = await start();
  const raw = await Raw.connect(served.url);
  seconds(served, 14);
  expect(await raw.call('Echo', 1)).toMatchObject({ result: 1 });
  seconds(served, 14);
  expect(await raw.call('Echo', 2)).toMatchObject({ result: 2 });
  seconds(served, 45);
  const rest = [await raw.next(), await raw.next(), await raw.next(), await raw.call('Echo', 3)];
  expect(rest.map(({ type }) => type)).toEqual([6, 6, 6, 3]);
});

test('L1 round trips: one pending measurement per client, also without a pong', async () => {
  const served = await start();
  const raw = await Raw.connect(served.url);
  const warnings: string[] = [];
  const warned = (warning: Error) => void warnings.push(warning.message);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  let pings = 0;
  raw.ws.on('ping', () => pings++);
  expect(served.hubs.stats().hubs['/hub']?.roundTripP50).toBeUndefined();
  seconds(served, 40);
  await expect.poll(() => served.hubs.stats().hubs['/hub']?.roundTripP99).toBeGreaterThan(0);
  await raw.call('Echo', 1);
  expect(pings).toBe(1);
  expect(warnings).toEqual([]);
});

test('P1 a poll without messages: held for 90 s', async () => {
  const served = await start();
  const { poll } = await polling(served.url);
  const asked = once(served.http, 'request');
  let isOver = false;
  const waiting = poll().finally(() => {
    isOver = true;
  });
  await asked;
  await expect.poll(() => served.control.connections()).toHaveLength(1);
  await new Promise(setImmediate);
  seconds(served, 89);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isOver).toBe(false);
  seconds(served, 2);
  expect(await waiting).toEqual([200, '']);
  expect(served.reasons).toEqual([]);
});

test('S5 acknowledgements: once a second, and only after new messages', async () => {
  const served = await start();
  const { raw } = await stateful(served.url);
  for (let value = 0; value < 5; value++) await raw.call('Echo', value);
  served.clock.advance(1_000);
  expect(await raw.next()).toEqual({ type: 8, sequenceId: 5 });
  seconds(served, 10);
  await raw.call('Echo', 5);
  seconds(served, 1);
  expect(await raw.next()).toEqual({ type: 8, sequenceId: 6 });
});

test('S5 a quarter of the buffer: acknowledged immediately, so that an upload does not wait', async () => {
  const { url } = await start();
  const { raw } = await stateful(url);
  await raw.call('Echo', 'x'.repeat(15_000));
  expect(await raw.call('Echo', 'x'.repeat(15_000))).toEqual({ type: 8, sequenceId: 2 });
  expect(await raw.next()).toMatchObject({ type: 3, invocationId: '2' });
});

test('S5 a due acknowledgement: sent with the next message', async () => {
  const served = await start();
  const { raw } = await stateful(served.url);
  served.clock.advance(500);
  await raw.call('Echo', 1);
  // One second after the start: too early for a message that arrived after half a second.
  served.clock.advance(1_100);
  expect(await raw.call('Echo', 2)).toEqual({ type: 8, sequenceId: 2 });
  expect(await raw.next()).toMatchObject({ type: 3, invocationId: '2', result: 2 });
});

test('S5 acknowledgements: also while the server waits for a method to end', async () => {
  const served = await start();
  const { raw } = await stateful(served.url);
  raw.send({ type: 1, target: 'Wait', arguments: [] });
  await expect.poll(() => served.hubs.stats().hubs['/hub']?.invocations).toBe(1);
  void served.hubs.drain({ overMs: 0 });
  seconds(served, 10);
  expect([await raw.next(), await raw.next()]).toMatchObject([{ type: 8, sequenceId: 1 }, { type: 7 }]);
});

describe('G4 a client that reads nothing for 10 s', () => {
  const fill = async (served: Awaited<ReturnType<typeof start>>) => {
    const isStuck = () => [...served.sockets].some((socket) => socket.writableLength > 1_000_000);
    for (let count = 0; !isStuck() && count < 400; count++) {
      served.control.all.Said('x'.repeat(100_000));
      await new Promise(setImmediate);
    }
    expect(isStuck()).toBe(true);
  };

  test('WebSocket: closed', async () => {
    const served = await start();
    const raw = await Raw.connect(served.url);
    raw.ws.pause();
    await fill(served);
    seconds(served, 9);
    expect(served.reasons).toEqual([]);
    seconds(served, 3);
    expect(served.reasons).toEqual(['slow']);
    raw.ws.resume();
    expect((await raw.closed).code).toBe(1006);
    expect(served.hubs.stats().hubs['/hub']).toMatchObject({ slow: 1, connections: 0 });
  });

  test('event stream: closed', async () => {
    const served = await start();
    const { connectionToken } = await negotiate(served.url);
    const at = `${served.url}?id=${connectionToken}`;
    const request = http.get(at, { headers: { accept: 'text/event-stream' } });
    request.on('error', () => {});
    const [response] = await once(request, 'response');
    await fetch(at, { method: 'POST', body: handshake });
    response.pause();
    await fill(served);
    seconds(served, 12);
    expect(served.reasons).toEqual(['slow']);
    await new Promise((resolve) =>
      response
        .on('error', () => {})
        .on('close', resolve)
        .resume(),
    );
  });

  test('long polling: closed, also below the limit of buffered bytes', async () => {
    const served = await start();
    await polling(served.url);
    served.control.all.Said('x'.repeat(100_000));
    seconds(served, 12);
    expect(served.reasons).toEqual(['slow']);
  });
});

test('A4 P8 token expiry: closes on the second; a poll with a new token extends it', async () => {
  const served = await start();
  const now = served.clock.now();
  const { poll } = await polling(served.url, `anna@${now + 5_000}`);
  seconds(served, 4);
  served.control.all.Said('a');
  const fresh = { authorization: `Bearer anna@${now + 10_000}` };
  expect(await poll(fresh)).toMatchObject([200, expect.stringContaining('"a"')]);
  seconds(served, 5);
  expect(served.reasons).toEqual([]);
  seconds(served, 1);
  expect(served.reasons).toEqual(['auth']);
  expect(await poll(fresh)).toEqual([200, '{"type":7,"allowReconnect":true}\x1e']);
});

describe('O4 admission', () => {
  const options = { admission: { perSecond: 50, burst: 3, maxDelayMs: 100 } };
  const ask = (url: string) => fetch(`${url}/negotiate?negotiateVersion=1`, { method: 'POST' });

  test('burst first, then the rate, in order; a request that would wait too long is refused', async () => {
    const served = await start(options);
    const { hubs, clock, url } = served;
    for (let count = 0; count < 3; count++) expect((await ask(url)).status).toBe(200);
    const admitted: number[] = [];
    for (let place = 1; place <= 5; place++) {
      void ask(url).then(({ status }) => admitted.push(status));
      await expect.poll(() => hubs.stats().waiting).toBe(place);
    }
    const refused = await ask(url);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.text()).toBe('Too many clients are connecting');
    expect(await refusedUpgrade(url)).toEqual({ status: 503, body: 'Too many clients are connecting' });
    expect(admitted).toEqual([]);
    for (let step = 1; step <= 5; step++) {
      clock.advance(20);
      expect(hubs.stats().waiting).toBe(5 - step);
      await expect.poll(() => admitted).toHaveLength(step);
    }
    expect(admitted).toEqual(Array(5).fill(200));
    // After an idle time the full burst is available again, and no more.
    clock.advance(60_000);
    for (let count = 0; count < 3; count++) expect((await ask(url)).status).toBe(200);
    void ask(url);
    await expect.poll(() => hubs.stats().waiting).toBe(1);
    clock.advance(20);
  });

  test('W1 an upgrade without negotiation: waits in the same queue', async () => {
    const served = await start(options);
    for (let count = 0; count < 3; count++) await Raw.connect(served.url);
    const waiting = Raw.connect(served.url);
    await expect.poll(() => served.hubs.stats().waiting).toBe(1);
    served.clock.advance(20);
    await waiting;
    expect(served.control.connections()).toHaveLength(4);
  });

  test('O2 drain: refuses waiting requests and unused negotiations on every transport', async () => {
    const served = await start(options);
    const { url, hubs, clock } = served;
    const { connectionToken } = await negotiate(url);
    for (let count = 0; count < 2; count++) await ask(url);
    const waiting = [ask(url).then(({ status }) => status), refusedUpgrade(url).then(({ status }) => status)];
    await expect.poll(() => hubs.stats().waiting).toBe(2);
    await hubs.drain();
    clock.advance(200);
    expect(await Promise.all(waiting)).toEqual([503, 503]);
    const at = `${url}?id=${connectionToken}`;
    expect((await fetch(at)).status).toBe(503);
    expect((await fetch(at, { headers: { accept: 'text/event-stream' } })).status).toBe(503);
    expect((await refusedUpgrade(at)).status).toBe(503);
    expect(hubs.stats()).toMatchObject({ draining: true, hubs: { '/hub': { connections: 0 } } });
  });
});

test('W2 two simultaneous upgrades for one negotiation: one is refused', async () => {
  const asked: (() => void)[] = [];
  const slow = hub<object, object, null>({
    path: '/slow',
    authenticate: ({ request }) =>
      request.method === 'POST'
        ? { claims: null }
        : new Promise((resolve) => asked.push(() => resolve({ claims: null }))),
    methods: {},
  });
  const { url, hubs } = await serve(slow);
  const { connectionToken } = await negotiate(`${url}/slow`);
  const at = `${url}/slow?id=${connectionToken}`;
  const statuses = [1, 2].map(() => {
    const ws = new WebSocket(at.replace('http', 'ws'));
    onTestFinished(() => ws.terminate());
    return new Promise((resolve) => {
      ws.on('error', () => {}).on('open', () => {
        ws.send(handshake);
        resolve(101);
      });
      ws.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    });
  });
  await expect.poll(() => asked.length).toBe(2);
  for (const admit of asked) admit();
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([101, 409]));
  await expect.poll(() => hubs.stats().hubs['/slow']?.connections).toBe(1);
});
