import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type DisconnectReason, hub, memory } from '../src/index.ts';
import { negotiate, Raw, refusedUpgrade, type Served, serve } from './support.ts';

/** Requests that reach the wrong node: `there` holds the connections, `here` receives the requests. */

interface Server {
  Echo(value: unknown): unknown;
}

const as = (user: string) => ({ authorization: `Bearer ${user}` });

async function start(addresses: { there?: (urls: { there: string; here: string }) => string | undefined } = {}) {
  const reasons: DisconnectReason[] = [];
  const definition = hub<Server, { Said(text: string): void }, null>({
    path: '/hub',
    authenticate: ({ token }) => (token === 'bad' ? null : { userId: token, claims: null }),
    methods: { Echo: (_ctx, value) => value },
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });
  const backplane = memory();
  const urls = { there: '', here: '' };
  const cors = { origins: ['https://good.example'] };
  const address = () => (addresses.there ? addresses.there(urls) : urls.there);
  const there = await serve(definition, { backplane, cors, instance: 'there', address });
  const here = await serve(definition, { backplane, instance: 'here', address: () => urls.here });
  Object.assign(urls, { there: there.url, here: here.url });
  const requests = { there: 0, here: 0 };
  there.http.on('request', () => requests.there++);
  here.http.on('request', () => requests.here++);
  const connection = async (user = 'anna') => {
    const { connectionToken } = await negotiate(`${there.url}/hub`, undefined, as(user));
    return `${here.url}/hub?id=${connectionToken}`;
  };
  return { there, here, reasons, requests, connection, control: there.hubs.of(definition) };
}

const handshake = '{"protocol":"json","version":1}\x1e';
const call = '{"type":1,"invocationId":"1","target":"Echo","arguments":["x"]}\x1e';
const answer = '{"type":3,"invocationId":"1","result":"x"}\x1e';
const post = (url: string, body: string, user = 'anna') => fetch(url, { method: 'POST', body, headers: as(user) });

/** The text of an event stream so far, and whether it has ended. */
async function listen(url: string) {
  const stop = new AbortController();
  const headers = { ...as('anna'), accept: 'text/event-stream', origin: 'https://good.example' };
  const response = await fetch(url, { headers, signal: stop.signal });
  const seen = { text: '', isOver: false, response, stop };
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of response.body ?? []) seen.text += decoder.decode(chunk);
  })()
    .catch(() => {})
    .then(() => {
      seen.isOver = true;
    });
  return seen;
}

describe('F1 every transport through another node', () => {
  test('a WebSocket: forwarded, and closed by either side', async () => {
    const { connection, reasons, here } = await start();
    const raw = await Raw.connect(await connection(), { headers: as('anna') });
    expect(await raw.call('Echo', 'y'.repeat(20_000))).toMatchObject({ result: 'y'.repeat(20_000) });
    raw.ws.close();
    expect((await raw.closed).code).toBe(1000);
    await expect.poll(() => reasons).toEqual(['client-stop']);
    const other = await Raw.connect(await connection(), { headers: as('anna') });
    other.ws.terminate();
    await expect.poll(() => reasons).toEqual(['client-stop', 'lost']);
    await expect.poll(() => here.sockets.size).toBe(0);
  });

  test('an event stream and its POSTs: forwarded', async () => {
    const { connection } = await start();
    const url = await connection();
    const seen = await listen(url);
    await expect.poll(() => seen.text).toBe(':\r\n\r\n');
    expect((await post(url, handshake)).status).toBe(200);
    expect((await post(url, call)).status).toBe(200);
    await expect.poll(() => seen.text).toBe(`:\r\n\r\ndata: {}\x1e\r\n\r\ndata: ${answer}\r\n\r\n`);
    seen.stop.abort();
  });

  test('polls, POSTs and a DELETE: forwarded', async () => {
    const { connection, reasons } = await start();
    const url = await connection();
    const poll = async () => {
      const response = await fetch(url, { headers: as('anna') });
      return [response.status, await response.text()];
    };
    expect(await poll()).toEqual([200, '']);
    await post(url, handshake);
    expect(await poll()).toEqual([200, '{}\x1e']);
    await post(url, call);
    expect(await poll()).toEqual([200, answer]);
    const last = poll();
    const removed = await fetch(url, { method: 'DELETE', headers: as('anna') });
    expect(removed.status).toBe(202);
    expect([204, 404]).toContain((await last)[0]);
    expect(reasons).toEqual(['client-stop']);
    expect(await poll()).toEqual([404, 'No Connection with that ID']);
  });
});

test('F2 the owner decides on access, and its headers arrive', async () => {
  const { connection } = await start();
  const url = await connection();
  expect(await refusedUpgrade(url, as('bad'))).toEqual({ status: 401, body: '' });
  expect(await refusedUpgrade(url, as('ben'))).toEqual({ status: 403, body: 'The connection belongs to another user' });
  expect((await post(url, handshake, 'bad')).status).toBe(401);
  expect((await post(url, handshake, 'ben')).status).toBe(403);
  const origin = { origin: 'https://good.example' };
  const refused = await fetch(url, { headers: { ...as('bad'), ...origin } });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin.origin]);
  const seen = await listen(url);
  expect(Object.fromEntries(seen.response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    'content-encoding': 'identity',
    'access-control-allow-origin': origin.origin,
  });
  seen.stop.abort();
});

const everyWay = (url: string, headers = as('anna')) =>
  Promise.all([
    ...['GET', 'POST', 'DELETE'].map(async (method) => (await fetch(url, { method, headers })).status),
    refusedUpgrade(url, headers).then(({ status }) => status),
  ]);
const unknown = [404, 404, 404, 404];

describe('F3 404', () => {
  test('an owner that is gone, before and after its address was known: requests get 404', async () => {
    const { connection, there, here } = await start();
    const url = await connection();
    expect((await fetch(url, { headers: as('anna') })).status).toBe(200);
    there.http.close();
    for (const socket of there.sockets) socket.destroy();
    expect(await everyWay(url)).toEqual(unknown);
    await there.hubs.close();
    expect(await everyWay(url)).toEqual(unknown);
    expect(here.logged.map(({ message }) => message)).toContain('could not forward');
    expect(JSON.stringify(here.logged)).not.toContain(url.split('=')[1]);
  });

  test.each([undefined, ''])('an owner without an address (%s): requests get 404', async (address) => {
    const { connection, requests } = await start({ there: () => address });
    const url = await connection();
    expect(await everyWay(url)).toEqual(unknown);
    expect(requests.there).toBe(1);
  });

  test.each(['there.unknown', 'nowhere.x', 'here.unknown', 'no dot', '.x', `${'x'.repeat(65)}.x`, 'a/../b.x'])(
    'no node has %s: 404',
    async (token) => {
      const { here } = await start();
      expect(await everyWay(`${here.url}/hub?id=${encodeURIComponent(token)}`)).toEqual(unknown);
    },
  );
});

test('F4 a forwarded request: not forwarded again, for any addresses', async () => {
  const { connection, requests, here } = await start({ there: ({ here: wrong }) => wrong });
  const url = await connection();
  requests.here = 0;
  expect((await fetch(url, { headers: as('anna') })).status).toBe(404);
  expect(requests.here).toBe(2);
  expect((await refusedUpgrade(url, as('anna'))).status).toBe(404);
  const forged = { ...as('anna'), 'x-signalr-forwarded': '1' };
  expect(await everyWay(`${here.url}/hub?id=there.x`, forged)).toEqual(unknown);
});

describe('F5 one side ends', () => {
  const opened = async (url: string) => {
    const seen = await listen(url);
    await post(url, handshake);
    await expect.poll(() => seen.text).toContain('{}\x1e');
    return seen;
  };

  test('the owner ends an event stream with Close or abruptly: so does the forwarding node', async () => {
    const { connection, control, there } = await start();
    const seen = await opened(await connection());
    control.close(control.connections()[0]?.connectionId ?? '', { allowReconnect: true });
    await expect.poll(() => seen.isOver).toBe(true);
    expect(seen.text).toContain('{"type":7,"allowReconnect":true}');
    const torn = await opened(await connection());
    for (const socket of there.sockets) socket.resetAndDestroy();
    await expect.poll(() => torn.isOver).toBe(true);
  });

  test('the client ends an event stream or a poll: the owner notices', async () => {
    const { connection, reasons, there, here, control } = await start();
    const seen = await opened(await connection());
    seen.stop.abort();
    await expect.poll(() => reasons).toEqual(['lost']);
    const url = await connection();
    await fetch(url, { headers: as('anna') });
    await post(url, handshake);
    await fetch(url, { headers: as('anna') });
    expect(control.connections()).toHaveLength(1);
    const left = new AbortController();
    const asked = once(there.http, 'request');
    const poll = fetch(url, { headers: as('anna'), signal: left.signal }).catch(() => {});
    const [, response] = await asked;
    const gone = once(response, 'close');
    left.abort();
    await Promise.all([poll, gone]);
    for (let seconds = 0; seconds < 16; seconds++) there.clock.advance(1_000);
    expect(reasons).toEqual(['lost', 'lost']);
    expect(here.logged).toEqual([]);
  });

  test('the connection to the owner of a WebSocket is lost: the WebSocket is lost', async () => {
    const { connection, there } = await start();
    const raw = await Raw.connect(await connection(), { headers: as('anna') });
    const lines = (server: Served) => server.sockets.size;
    await expect.poll(() => lines(there)).toBeGreaterThan(0);
    for (const socket of there.sockets) socket.resetAndDestroy();
    expect((await raw.closed).code).toBe(1006);
  });
});
