import { once } from 'node:events';
import http from 'node:http';
import { assert, expect, test } from 'vitest';
import { type DisconnectReason, hub } from '../src/index.ts';
import { gate, negotiate, serve, type Wire } from './support.ts';

/** Long polling and server-sent events request by request: status codes, and lost responses. */

interface Server {
  Echo(value: unknown): unknown;
  Slow(): void;
}
interface Client {
  Said(text: string): void;
}

/** Waits until the server has received the request that `ask` sends. */
async function arrived<T>(
  { http: server }: { http: http.Server },
  ask: () => Promise<T>,
): Promise<{ answer: Promise<T> }> {
  const request = once(server, 'request');
  const answer = ask();
  await request;
  await new Promise(setImmediate);
  return { answer };
}

async function start() {
  const reasons: DisconnectReason[] = [];
  const slow = gate();
  const definition = hub<Server, Client, string | undefined>({
    path: '/hub',
    authenticate: ({ token }) => (token === 'bad' ? null : { userId: token?.split('-')[0], claims: token }),
    limits: { queued: 2, bufferedBytes: 1 << 26 },
    methods: { Echo: (_ctx, value) => value, Slow: () => slow.promise },
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });
  const served = await serve(definition);
  const control = served.hubs.of(definition);
  const client = async (token?: string) => new Poller(`${served.url}/hub`, token);
  return { ...served, control, reasons, slow, client };
}

/** A long-polling client that sends single requests. */
class Poller {
  readonly url: string;
  token: string | undefined;
  id = '';

  constructor(url: string, token: string | undefined) {
    this.url = url;
    this.token = token;
  }

  get headers(): Record<string, string> {
    return this.token ? { authorization: `Bearer ${this.token}` } : {};
  }

  async negotiate(): Promise<void> {
    this.id = (await negotiate(this.url, undefined, this.headers)).connectionToken;
  }

  async connect(): Promise<this> {
    await this.negotiate();
    const first = await this.poll();
    const posted = await this.post({ protocol: 'json', version: 1 });
    const { messages } = await this.poll();
    assert.deepEqual([first, posted, messages], [{ status: 200, messages: [], type: null }, 200, [{}]]);
    return this;
  }

  async poll(signal?: AbortSignal): Promise<{ status: number; messages: Wire[]; type: string | null }> {
    const response = await fetch(`${this.url}?id=${this.id}&_=1`, { headers: this.headers, ...(signal && { signal }) });
    const text = await response.text();
    const messages = response.status === 200 ? text.split('\x1e').filter(Boolean) : [];
    return {
      status: response.status,
      messages: messages.map((part) => JSON.parse(part)),
      type: response.headers.get('content-type'),
    };
  }

  async post(...messages: object[]): Promise<number> {
    const body = messages.map((message) => `${JSON.stringify(message)}\x1e`).join('');
    return (await fetch(`${this.url}?id=${this.id}`, { method: 'POST', body, headers: this.headers })).status;
  }

  async delete(): Promise<number> {
    return (await fetch(`${this.url}?id=${this.id}`, { method: 'DELETE', headers: this.headers })).status;
  }
}

const call = (value: unknown) => ({ type: 1, invocationId: '1', target: 'Echo', arguments: [value] });

test('P1 the first poll: returns immediately; later ones wait for messages', async () => {
  const served = await start();
  const { client, control, clock } = served;
  const anna = await (await client()).connect();
  const waiting = await arrived(served, () => anna.poll());
  control.all.Said('a');
  control.all.Said('b');
  const answer = await waiting.answer;
  expect(answer).toMatchObject({ status: 200, type: 'application/octet-stream' });
  expect(answer.messages.map((message) => message.arguments[0])).toEqual(['a', 'b']);
  const idle = await arrived(served, () => anna.poll());
  clock.advance(92_000);
  expect(await idle.answer).toMatchObject({ status: 200, messages: [] });
});

test('P2 responses: no-store', async () => {
  const { client } = await start();
  const anna = await (await client()).connect();
  await anna.post(call(1));
  const { headers } = await fetch(`${anna.url}?id=${anna.id}`);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-cache, no-store',
    pragma: 'no-cache',
    expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
  });
});

test('P3 a second poll: replaces the first, which gets 204', async () => {
  const served = await start();
  const { client, control } = served;
  const anna = await (await client()).connect();
  const first = await arrived(served, () => anna.poll());
  const second = await arrived(served, () => anna.poll());
  expect(await first.answer).toMatchObject({ status: 204 });
  control.all.Said('now');
  expect(await second.answer).toMatchObject({ status: 200, messages: [{ arguments: ['now'] }] });
});

test('P4 the end: the remaining messages, then 204, then 404', async () => {
  const { client, control, reasons } = await start();
  const anna = await (await client()).connect();
  control.all.Said('last');
  control.close(control.connections()[0]?.connectionId ?? '', { allowReconnect: true });
  expect(reasons).toEqual(['closed']);
  const { messages } = await anna.poll();
  expect(messages).toMatchObject([{ arguments: ['last'] }, { type: 7, allowReconnect: true }]);
  expect((await anna.poll()).status).toBe(204);
  expect((await anna.poll()).status).toBe(404);
  expect(await anna.post(call(1))).toBe(404);
});

test('P5 DELETE: 202, the open poll gets 204, later requests 404', async () => {
  const served = await start();
  const { client, reasons } = served;
  const anna = await (await client()).connect();
  const last = await arrived(served, () => anna.poll());
  expect(await anna.delete()).toBe(202);
  expect((await last.answer).status).toBe(204);
  expect(reasons).toEqual(['client-stop']);
  expect((await anna.poll()).status).toBe(404);
  expect(await anna.delete()).toBe(404);
});

test('P6 no poll for 15 s: the client is lost; with an open poll it is not, and there are no pings', async () => {
  const served = await start();
  const { client, clock, reasons, control } = served;
  const anna = await (await client()).connect();
  const open = await arrived(served, () => anna.poll());
  clock.advance(60_000);
  control.all.Said('still here');
  expect((await open.answer).messages).toMatchObject([{ type: 1 }]);
  clock.advance(14_000);
  expect(reasons).toEqual([]);
  clock.advance(2_000);
  expect(reasons).toEqual(['lost']);
});

test('P7 a response that could not be written: repeated with the next poll', async () => {
  const { client, control } = await start();
  const anna = await (await client()).connect();
  const request = http.get(`${anna.url}?id=${anna.id}`);
  request.on('error', () => {});
  // More than the socket's buffers, to a client that has stopped reading.
  await new Promise<void>((resolve) => {
    request.on('response', (response) => {
      response.pause();
      resolve();
    });
    setTimeout(() => {
      for (let count = 0; count < 100; count++) control.all.Said(`${count}${'x'.repeat(100_000)}`);
    }, 50);
  });
  request.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { messages } = await anna.poll();
  expect(messages).toHaveLength(100);
  expect(messages.at(-1)?.arguments[0]).toMatch(/^99x/);
});

test('P8 token of each request: a bad one gets 401, a new one extends the expiry, another user’s gets 403', async () => {
  const { client, control } = await start();
  const anna = await (await client('anna-1')).connect();
  anna.token = 'bad';
  expect((await anna.poll()).status).toBe(401);
  expect(await anna.post(call(1))).toBe(401);
  anna.token = 'ben-1';
  expect((await anna.poll()).status).toBe(403);
  expect(await anna.delete()).toBe(403);
  anna.token = 'anna-2';
  expect(await anna.post(call(5))).toBe(200);
  expect((await anna.poll()).messages).toMatchObject([{ result: 5 }]);
  expect(control.connections()).toMatchObject([{ claims: 'anna-2' }]);
});

test('P9 POSTs: handled in the order in which they began, and wait while the queue is full', async () => {
  const { client, slow } = await start();
  const anna = await (await client()).connect();
  const invocations = Array.from({ length: 6 }, (_, index) => ({ ...call(index), invocationId: String(index) }));
  expect(await anna.post({ type: 1, target: 'Slow', arguments: [] })).toBe(200);
  const posts = Promise.all(invocations.map((one) => anna.post(one)));
  await expect(Promise.race([posts, new Promise((resolve) => setTimeout(() => resolve('waits'), 100))])).resolves.toBe(
    'waits',
  );
  slow.open();
  expect(await posts).toEqual(Array(6).fill(200));
  const results: unknown[] = [];
  while (results.length < 6) results.push(...(await anna.poll()).messages.map(({ result }) => result));
  expect(results.toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 1, 2, 3, 4, 5]);
});

test('P9 a POST that is too large: 413; an incomplete one: not handled', async () => {
  const { client } = await start();
  const anna = await (await client()).connect();
  const big = await fetch(`${anna.url}?id=${anna.id}`, { method: 'POST', body: 'x'.repeat(1_200_000) }).catch(
    () => null,
  );
  expect(big?.status ?? 413).toBe(413);
  const half = http.request(`${anna.url}?id=${anna.id}`, { method: 'POST', headers: { 'content-length': 1_000 } });
  half.on('error', () => {});
  half.write(`${JSON.stringify(call(1))}\x1e`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  half.destroy();
  expect(await anna.post(call(2))).toBe(200);
  expect((await anna.poll()).messages).toMatchObject([{ result: 2 }]);
});

test('V1 V2 event stream: starts immediately, disables buffering, and sends messages as events', async () => {
  const { client, control, reasons } = await start();
  const anna = await client();
  await anna.negotiate();
  const stop = new AbortController();
  const headers = { accept: 'text/event-stream' };
  const response = await fetch(`${anna.url}?id=${anna.id}`, { headers, signal: stop.signal });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'content-encoding': 'identity',
    'x-accel-buffering': 'no',
    'cache-control': 'no-cache, no-store, no-transform',
  });
  let text = '';
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
  })().catch(() => {});
  await expect.poll(() => text).toBe(':\r\n\r\n');
  expect(await anna.post({ protocol: 'json', version: 1 })).toBe(200);
  await expect.poll(() => text).toBe(':\r\n\r\ndata: {}\x1e\r\n\r\n');
  control.all.Said('line\nbreak');
  await expect.poll(() => text).toContain('data: {"type":1,"target":"Said","arguments":["line\\nbreak"]}\x1e\r\n\r\n');
  const second = await fetch(`${anna.url}?id=${anna.id}`, { headers });
  expect([second.status, await second.text()]).toEqual([409, 'The connection is in use']);
  expect((await anna.poll()).status).toBe(400);
  expect(await anna.delete()).toBe(400);
  stop.abort();
  await reading;
  await expect.poll(() => reasons).toEqual(['lost']);
});

test('V3 event stream: gets pings', async () => {
  const { client, clock } = await start();
  const anna = await client();
  await anna.negotiate();
  const response = await fetch(`${anna.url}?id=${anna.id}`, { headers: { accept: 'text/event-stream' } });
  let text = '';
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
  })().catch(() => {});
  await anna.post({ protocol: 'json', version: 1 });
  clock.advance(16_000);
  await expect.poll(() => text).toContain('data: {"type":6}\x1e');
});
