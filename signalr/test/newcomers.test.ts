import net from 'node:net';
import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Admission, type Closable } from '../src/admission.ts';
import { networkOf } from '../src/http/network.ts';
import { type Clock, type Context, hub, memory } from '../src/index.ts';
import { gate, negotiate, Raw, refusedUpgrade, type Served, serve, TestClock, type Wire } from './support.ts';
import { balancer, startTcpProxy } from './tcp-proxy.ts';
import { transports, world } from './world.ts';

/** New connections: paths, origins, many clients with one address, and clients that disconnect while waiting. */

interface Server {
  Echo(value: unknown): unknown;
  Seen(): unknown;
}

const methods = {
  Echo: (_ctx: unknown, value: unknown) => value,
  Seen: ({ request }: Context<object, unknown>) => ({ ...request, query: request.query.toString() }),
};
const open = hub<Server, object>({ path: '/hub', methods });
const users = hub<Server, object, null>({
  path: '/users',
  authenticate: ({ token }) => (token ? { userId: token, claims: null } : null),
  methods,
});

function build(url: string, transport: (typeof transports)[number], headers?: Record<string, string>) {
  const connection = new HubConnectionBuilder()
    .withUrl(url, { transport: HttpTransportType[transport], ...(headers && { headers }) })
    .configureLogging(LogLevel.None)
    .build();
  onTestFinished(() => connection.stop());
  return connection;
}

describe.each(transports)('%s', (transport) => {
  test('N7 a trailing slash of the path: ignored', async () => {
    const { url } = await serve(open, { realTime: true });
    const connection = build(`${url}/hub/?room=1`, transport);
    await connection.start();
    expect(await connection.invoke('Echo', 'here')).toBe('here');
    expect(await connection.invoke('Seen')).toMatchObject({ query: expect.stringContaining('room=1') });
    await connection.stop();
  });

  test('N7 F1 a trailing slash of the path: also ignored when another node forwards the requests', async () => {
    const { url } = await world(2);
    const connection = build(`${url}/hub/`, transport);
    await connection.start();
    expect(await connection.invoke('Echo', 'here')).toBe('here');
    await connection.stop();
  });

  test('E4 ctx.request: has the headers, address and query of the connecting request without secrets', async () => {
    const { url } = await serve(users, {
      realTime: true,
      clientAddress: ({ headers, socket }) => String(headers['x-real-ip'] ?? socket.remoteAddress),
    });
    const headers = { authorization: 'Bearer anna', 'x-real-ip': '192.0.2.7', cookie: 'theme=dark; lang=en' };
    const connection = build(`${url}/users?room=1`, transport, headers);
    await connection.start();
    const seen = await connection.invoke('Seen');
    expect(seen).toMatchObject({
      address: '192.0.2.7',
      headers: { cookie: 'theme=dark; lang=en', host: url.slice(7) },
    });
    expect(new URLSearchParams(seen.query).get('room')).toBe('1');
    expect(seen.query).not.toContain('id=');
    expect(JSON.stringify(seen)).not.toMatch(/anna|sec-websocket-key/i);
    await connection.stop();
  });

  test("E4 F1 ctx.request of a forwarded request: has the client's address", async () => {
    const at: { url?: string }[] = [{}, {}];
    const backplane = memory();
    const served: Served[] = [];
    for (const place of at) {
      const one = await serve(users, {
        realTime: true,
        backplane,
        address: () => place.url,
        clientAddress: ({ headers }) => (headers['x-signalr-forwarded'] ? 'another server' : 'the client'),
      });
      place.url = one.url;
      served.push(one);
    }
    const connection = build(`${await balancer(() => served.map(({ url }) => url))}/users`, transport, {
      authorization: 'Bearer anna',
    });
    await connection.start();
    expect(await connection.invoke('Seen')).toMatchObject({ address: 'the client' });
    await connection.stop();
  });
});

test('N7 a trailing slash on every kind of request: ignored', async () => {
  const { url } = await serve(open);
  expect((await fetch(`${url}/HUB/negotiate/`, { method: 'POST' })).status).toBe(200);
  const { connectionToken } = await negotiate(`${url}/hub`);
  await Raw.connect(`${url}/hub/`, { query: `?id=${connectionToken}` });
  await Raw.connect(`${url}/hub/`);
});

describe('C3 a page of another origin', () => {
  const origin = { origin: 'https://bad.example' };

  test('every request: 403, and no connection is created', async () => {
    const asked: string[] = [];
    const watched = hub<object, object, null>({
      path: '/hub',
      authenticate({ request }) {
        asked.push(request.method ?? '');
        return { userId: 'anna', claims: null };
      },
      methods: {},
    });
    const { url, hubs } = await serve(watched, { cors: { origins: ['https://good.example'] } });
    const { connectionToken } = await negotiate(`${url}/hub`);
    const at = `${url}/hub?id=${connectionToken}`;
    asked.length = 0;
    const status = async (to: string, method: string, headers: Record<string, string> = origin) =>
      (await fetch(to, { method, headers })).status;
    for (let count = 0; count < 40; count++) expect(await status(`${url}/hub/negotiate`, 'POST')).toBe(403);
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) expect(await status(at, method)).toBe(403);
    expect(await status(at, 'GET', { origin: 'null' })).toBe(403);
    expect(asked).toEqual([]);
    expect(hubs.stats().hubs['/hub']?.negotiations).toBe(1);
    // The user's own negotiation still exists.
    await Raw.connect(at);
  });

  test('its POST to a connection of another node: refused there', async () => {
    const { served, url } = await world(2);
    const { connectionToken } = await negotiate(`${served[0]?.url}/hub`);
    for (let count = 0; count < 2; count++)
      expect((await fetch(`${url}/hub?id=${connectionToken}`, { headers: origin })).status).toBe(403);
  });
});

test.each([1000, 1001, 3000, undefined])('W5 a close frame with code %s: the response has code 1000', async (code) => {
  const { url } = await serve(open);
  const { ws, closed } = await Raw.connect(`${url}/hub`);
  ws.close(code);
  expect((await closed).code).toBe(1000);
});

describe('N6 unused negotiations', () => {
  test('150 simultaneous clients without a user, from one address, with 100 ms latency: all start', async () => {
    const { url } = await serve(open, { realTime: true });
    const proxy = await startTcpProxy(url);
    proxy.delayMs = 50;
    const connections = Array.from({ length: 150 }, () => build(`${proxy.url}/hub`, 'WebSockets'));
    const outcomes = await Promise.allSettled(connections.map((connection) => connection.start()));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    await Promise.all(connections.map((connection) => connection.stop()));
  });

  const from = (address: string) => ({ 'x-real-ip': address });
  const small = hub<Server, object>({ path: '/hub', limits: { negotiations: 10 }, methods });
  const start = () => serve(small, { clientAddress: ({ headers }) => String(headers['x-real-ip']) });

  test('negotiations beyond the limit: the oldest of the address with the most is dropped', async () => {
    const { url, hubs } = await start();
    const at = `${url}/hub`;
    const ask = (address: string) => negotiate(at, '?negotiateVersion=1', from(address));
    const first = [await ask('192.0.2.1'), await ask('192.0.2.2')];
    const flood: Wire[] = [];
    for (let count = 0; count < 30; count++) flood.push(await ask('203.0.113.9'));
    const late = await ask('192.0.2.3');
    expect(hubs.stats().hubs['/hub']?.negotiations).toBe(10);
    for (const { connectionToken } of [...first, late, flood.at(-1) as Wire, flood.at(-7) as Wire])
      await Raw.connect(`${at}?id=${connectionToken}`);
    expect((await refusedUpgrade(`${at}?id=${flood.at(-8)?.connectionToken}`)).status).toBe(404);
  });

  test('a request beyond the limit when no address has more: gets 503', async () => {
    const { url, clock } = await start();
    const at = `${url}/hub`;
    const tokens = [];
    for (let count = 0; count < 10; count++)
      tokens.push((await negotiate(at, '?negotiateVersion=1', from(`192.0.2.${count}`))).connectionToken);
    const refused = await fetch(`${at}/negotiate`, { method: 'POST', headers: from('198.51.100.1') });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '15']);
    for (const token of tokens) await Raw.connect(`${at}?id=${token}`);
    expect((await fetch(`${at}/negotiate`, { method: 'POST', headers: from('198.51.100.1') })).status).toBe(200);
    clock.advance(16_000);
  });

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unix', 'unix'],
  ])('networkOf: %s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('O4 admission is fair', () => {
  const idle: Closable = { once() {}, off() {} };
  const ask = (admission: Admission, hub: string, key: string, times = 1, isUser = false) =>
    Array.from({ length: times }, () => {
      const place = { hub, key, how: 'waits' as string };
      void Promise.resolve(admission.enter(hub, { key, isUser }, idle)).then((how) => (place.how = how));
      return place;
    });
  const settle = () => new Promise(setImmediate);
  const make = (clock: Clock, options = {}) =>
    new Admission(clock, { perSecond: 50, burst: 1, maxDelayMs: 1_000, ...options });

  test('round-robin: by hub, and within a hub by user or address', async () => {
    const clock = new TestClock();
    const admission = make(clock);
    ask(admission, 'any', 'any');
    const flood = ask(admission, '/open', 'flood', 30);
    const [other] = ask(admission, '/open', 'other');
    const [user] = ask(admission, '/users', 'anna');
    clock.advance(20);
    await settle();
    expect(flood.filter(({ how }) => how === 'yes')).toHaveLength(1);
    clock.advance(20);
    await settle();
    expect(user?.how).toBe('yes');
    clock.advance(20);
    await settle();
    expect(other?.how).toBe('yes');
    expect(flood.filter(({ how }) => how === 'yes')).toHaveLength(1);
    clock.advance(20 * 29);
    await settle();
    expect(new Set(flood.map(({ how }) => how))).toEqual(new Set(['yes']));
    expect(admission.waiting).toBe(0);
  });

  test('a flood of one client: refused for its own queue length, others are not', async () => {
    const admission = make(new TestClock());
    ask(admission, 'any', 'any');
    const flood = ask(admission, '/open', 'flood', 200);
    const [other, user] = [...ask(admission, '/open', 'other'), ...ask(admission, '/users', 'anna')];
    await settle();
    expect(flood.filter(({ how }) => how === 'no')).toHaveLength(150);
    expect([other?.how, user?.how]).toEqual(['waits', 'waits']);
    admission.close();
  });

  test('a request that later ones delay too long: refused', async () => {
    const clock = new TestClock();
    const admission = make(clock);
    ask(admission, 'any', 'any');
    const flood = ask(admission, '/open', 'flood', 50);
    for (let count = 0; count < 40; count++) ask(admission, '/open', `other ${count}`, 2);
    clock.advance(2_100);
    await settle();
    expect(flood.filter(({ how }) => how === 'no').length).toBe(14);
    clock.advance(2_000);
    expect(admission.waiting).toBe(0);
  });

  test('one user of a limited rate: five immediately, then twenty a second; others and addresses are not delayed', async () => {
    const clock = new TestClock();
    const admission = make(clock, { perSecond: 500, burst: 200, maxDelayMs: 20_000, userPerSecond: 20 });
    const admitted = (places: readonly { how: string }[]) => places.filter(({ how }) => how === 'yes').length;
    const flood = ask(admission, '/users', 'anna', 30, true);
    const others = [...ask(admission, '/users', 'ben', 5, true), ...ask(admission, '/users', 'network', 30)];
    clock.advance(100);
    await settle();
    expect(admitted(others)).toBe(35);
    expect(admitted(flood)).toBe(7);
    clock.advance(1_000);
    await settle();
    expect(admitted(flood)).toBe(27);
    clock.advance(1_000);
    await settle();
    expect(admitted(flood)).toBe(30);
    expect(admission.waiting).toBe(0);
  });

  test('one user with more than twenty seconds of requests: refused', async () => {
    const admission = new Admission(new TestClock(), { userPerSecond: 20 });
    const flood = ask(admission, '/users', 'anna', 500, true);
    await settle();
    expect(flood.filter(({ how }) => how === 'no')).toHaveLength(95);
    admission.close();
  });

  test.each(['a negotiation', 'an upgrade'])(
    '%s whose client disconnects: frees its place immediately',
    async (what) => {
      const { url, hubs, clock } = await serve(open, { admission: { perSecond: 50, burst: 1, maxDelayMs: 60 } });
      await negotiate(`${url}/hub`);
      const { port } = new URL(url);
      const start =
        what === 'a negotiation'
          ? 'POST /hub/negotiate HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'
          : 'GET /hub HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
      const sockets: net.Socket[] = [];
      for (let place = 1; place <= 3; place++) {
        const socket = net.connect(Number(port), '127.0.0.1').on('error', () => {});
        sockets.push(socket);
        socket.write(start);
        await expect.poll(() => hubs.stats().waiting).toBe(place);
      }
      expect((await refusedUpgrade(`${url}/hub`)).status).toBe(503);
      sockets[0]?.destroy();
      sockets[1]?.end();
      sockets[2]?.resetAndDestroy();
      await expect.poll(() => hubs.stats().waiting).toBe(0);
      // The next one is first in the queue, and its socket works.
      const connecting = Raw.connect(`${url}/hub`);
      await expect.poll(() => hubs.stats().waiting).toBe(1);
      clock.advance(20);
      const raw = await connecting;
      expect(await raw.call('Echo', 1)).toMatchObject({ result: 1 });
      expect(hubs.stats().hubs['/hub']?.negotiations).toBe(1);
    },
  );

  test('a client that disconnects while it is being authenticated: takes no place', async () => {
    const authenticating = gate();
    let asked = 0;
    const slow = hub<object, object, null>({
      path: '/hub',
      async authenticate({ request }) {
        asked++;
        if (request.headers.origin !== undefined) return { claims: null };
        await authenticating.promise;
        return { claims: null };
      },
      methods: {},
    });
    const { url, hubs, sockets } = await serve(slow, { admission: { perSecond: 50, burst: 1 } });
    await negotiate(`${url}/hub`, '', { origin: url });
    const { port } = new URL(url);
    const socket = net.connect(Number(port), '127.0.0.1');
    socket.write('POST /hub/negotiate HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    await expect.poll(() => asked).toBe(2);
    const before = sockets.size;
    socket.destroy();
    await expect.poll(() => sockets.size).toBe(before - 1);
    authenticating.open();
    await new Promise(setImmediate);
    expect(hubs.stats().waiting).toBe(0);
  });

  test('users of one hub: admitted in the first step while hundreds wait for another hub', async () => {
    const { url, hubs, clock } = await serve([open, users], { admission: { perSecond: 500, burst: 10 } });
    for (let count = 0; count < 10; count++) await negotiate(`${url}/hub`);
    const { port } = new URL(url);
    const flood = Array.from({ length: 300 }, () => {
      const socket = net.connect(Number(port), '127.0.0.1').on('error', () => {});
      socket.write('POST /hub/negotiate HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
      return socket;
    });
    onTestFinished(() => flood.forEach((socket) => void socket.destroy()));
    await expect.poll(() => hubs.stats().waiting).toBe(300);
    const admitted = ['anna', 'ben', 'cleo'].map((user) =>
      negotiate(`${url}/users`, '?negotiateVersion=1', { authorization: `Bearer ${user}` }),
    );
    await expect.poll(() => hubs.stats().waiting).toBe(303);
    for (const socket of flood.slice(0, 100)) socket.destroy();
    await expect.poll(() => hubs.stats().waiting).toBe(203);
    clock.advance(20);
    expect(await Promise.all(admitted)).toHaveLength(3);
    expect(hubs.stats().waiting).toBe(193);
  });
});
