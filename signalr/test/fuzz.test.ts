import { once } from 'node:events';
import http from 'node:http';
import { encode } from '@msgpack/msgpack';
import { describe, expect, test, vi } from 'vitest';
import { hub } from '../src/index.ts';
import { messagePack } from '../src/protocol/messagepack.ts';
import { Raw, random, type Served, serve } from './support.ts';

/** With random input from clients the server continues to work, with bounded memory. SIGNALR_LONG: with many more cases. */

const long = process.env['SIGNALR_LONG'] !== undefined;
if (long) vi.setConfig({ testTimeout: 600_000 });

const jsonPieces = [
  '{"type":1,"invocationId":"1","target":"Echo","arguments":[1]}\x1e',
  '{"type":1,"target":"Echo","arguments":[[[[[[{}]]]]]]}\x1e',
  '{"type":1,"invocationId":"2","target":"Echo","arguments":[1],"streamIds":["1","1"]}\x1e',
  '{"type":4,"invocationId":"3","target":"Echo","arguments":[1],"streamIds":["4"]}\x1e',
  '{"type":2,"invocationId":"4","item":{}}\x1e',
  '{"type":6}\x1e{"type":6}\x1e',
  '{"type":3,"invocationId":"1"}\x1e',
  '{"type":5,"invocationId":"1"}\x1e',
  '{"type":8,"sequenceId":-9007199254740991}\x1e{"type":9,"sequenceId":0}\x1e',
  '{"type":1e999}\x1e',
  '{"type":{"__proto__":1}}\x1e',
  '\x1e',
  '\x1e\x1e\x1e',
  '[',
  'null\x1e',
  '\u0000\ufeff',
  '{"protocol":"json","version":1}\x1e',
].map((text) => Buffer.from(text));

const packedPieces = [
  [1, {}, '1', 'Echo', [1]],
  [1, {}, null, 'Echo', [[[[{}]]]]],
  [1, {}, '2', 'Echo', [1], ['1', '1']],
  [4, {}, '3', 'Echo', [1], ['4']],
  [2, {}, '4', new Uint8Array(20)],
  [3, {}, '1', 2],
  [5, {}, '1'],
  [6],
  [8, -1],
  [9, 0],
  [99],
].map((fields) => {
  const body = encode(fields);
  return Buffer.concat([Buffer.from([body.length]), body]);
});
packedPieces.push(
  Buffer.from([0xff]),
  Buffer.from([0x80]),
  Buffer.alloc(3),
  Buffer.from([5, 0xdd, 0xff, 0xff, 0xff, 0xff]),
);

const protocols = [
  ['json', jsonPieces],
  ['messagepack', packedPieces],
] as const;

const echo = hub<{ Echo(value: unknown): unknown }, object>({
  path: '/hub',
  methods: { Echo: (_ctx, value) => value },
});

async function start(options: Parameters<typeof serve>[1] = {}) {
  // The test clock does not move, so a request that waits for admission would never be admitted.
  return serve(echo, { protocols: [messagePack], admission: { burst: 1_000_000 }, ...options });
}

/** Returns invalid input made of valid pieces: joined, changed and truncated. */
function mangled(pieces: readonly Buffer[], pick: (below: number) => number): Buffer {
  const bytes = Buffer.concat(Array.from({ length: 1 + pick(4) }, () => pieces[pick(pieces.length)] as Buffer));
  if (pick(3) === 0) bytes[pick(bytes.length)] = pick(256);
  return bytes.subarray(0, 1 + pick(bytes.length));
}

async function isWell({ url, hubs, logged }: Served): Promise<void> {
  const raw = await Raw.connect(`${url}/hub`);
  expect(await raw.call('Echo', 'alive')).toEqual({ type: 3, invocationId: '1', result: 'alive' });
  expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 1, negotiations: 0 });
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
}

describe.each(protocols)('O6 %s', (protocol, pieces) => {
  const handshake = `{"protocol":"${protocol}","version":1}\x1e`;

  test('M2 W4 WebSockets: the server continues', async () => {
    const served = await start();
    const pick = random(7);
    for (let client = 0; client < (long ? 2_000 : 60); client++) {
      const { ws, closed } = await Raw.connect(`${served.url}/hub`, { handshake: false });
      ws.removeAllListeners('message');
      if (client % 3 > 0) ws.send(handshake);
      for (let frame = 0; frame < 20; frame++)
        ws.send(mangled(pieces, pick), { binary: protocol === 'messagepack' || pick(2) === 0 });
      ws.close();
      await closed;
    }
    await isWell(served);
  });

  test('P9 long polling and event streams, by POST: the server continues', async () => {
    const served = await start();
    const pick = random(11);
    const agent = new http.Agent({ keepAlive: true });
    const ask = async (method: string, query: string, body?: Buffer | string, accept = '*/*') => {
      const request = http.request(`${served.url}/hub${query}`, { method, agent, headers: { accept } });
      request.end(body);
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      let text = '';
      if (response.headers['content-type'] === 'text/event-stream') response.on('error', () => {}).resume();
      else for await (const chunk of response) text += chunk;
      return { status: response.statusCode ?? 0, text, response };
    };
    for (let client = 0; client < (long ? 500 : 24); client++) {
      const { text } = await ask('POST', '/negotiate?negotiateVersion=1');
      const id = `?id=${JSON.parse(text).connectionToken}`;
      const isStream = protocol === 'json' && client % 2 === 0;
      const { response } = await ask('GET', id, undefined, isStream ? 'text/event-stream' : '*/*');
      if (client % 3 > 0) await ask('POST', id, handshake);
      for (let post = 0; post < 8; post++) {
        const { status } = await ask('POST', id, mangled(pieces, pick));
        expect([200, 404]).toContain(status);
      }
      if (isStream) response.destroy();
      else expect([202, 404]).toContain((await ask('DELETE', id)).status);
    }
    agent.destroy();
    await expect.poll(() => served.hubs.stats().hubs['/hub']?.connections).toBe(0);
    for (let second = 0; second < 40; second++) served.clock.advance(1_000);
    await isWell(served);
  });
});

test('M2 M6 JSON of any depth: a result or an error', async () => {
  const served = await start();
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    for (const depth of [100, 5_000, 15_000]) {
      const raw = await Raw.connect(`${served.url}/hub`);
      const deep = `${open.repeat(depth)}1${close.repeat(depth)}`;
      raw.text(`{"type":1,"invocationId":"1","target":"Echo","arguments":[${deep}]}\x1e`);
      expect([3, 7]).toContain((await raw.next()).type);
      raw.ws.close();
      await raw.closed;
    }
  }
  expect(served.hubs.stats().hubs['/hub']?.connections).toBe(0);
});

test('O6 P9 a slow POST: delays only its own client, and needs memory only for the received bytes', async () => {
  const served = await start();
  const agent = new http.Agent({ maxSockets: 1_000 });
  const slow: http.ClientRequest[] = [];
  for (let client = 0; client < (long ? 500 : 30); client++) {
    const response = await fetch(`${served.url}/hub/negotiate?negotiateVersion=1`, { method: 'POST' });
    const { connectionToken } = (await response.json()) as { connectionToken: string };
    await (await fetch(`${served.url}/hub?id=${connectionToken}`)).text();
    const options = { method: 'POST', agent, headers: { 'content-length': 1_000_000 } };
    const request = http.request(`${served.url}/hub?id=${connectionToken}`, options);
    request.on('error', () => {});
    request.write('{');
    slow.push(request);
  }
  const raw = await Raw.connect(`${served.url}/hub`);
  expect(await raw.call('Echo', 1)).toMatchObject({ result: 1 });
  for (let second = 0; second < 40; second++) served.clock.advance(1_000);
  for (const request of slow) request.destroy();
  agent.destroy();
  raw.ws.close();
  await raw.closed;
  await expect.poll(() => served.sockets.size).toBeLessThan(5);
  await isWell(served);
});

test('P9 O6 waiting POSTs: not read into memory', async () => {
  const gate = Promise.withResolvers<void>();
  const definition = hub<{ Hang(): void }, object>({
    path: '/hub',
    limits: { queued: 1 },
    methods: { Hang: () => gate.promise },
  });
  const { url, hubs } = await serve(definition);
  const response = await fetch(`${url}/hub/negotiate?negotiateVersion=1`, { method: 'POST' });
  const { connectionToken } = (await response.json()) as { connectionToken: string };
  const at = `${url}/hub?id=${connectionToken}`;
  await (await fetch(at)).text();
  const call = '{"type":1,"target":"Hang","arguments":[]}\x1e';
  await fetch(at, { method: 'POST', body: '{"protocol":"json","version":1}\x1e' + call + call });
  const agent = new http.Agent({ maxSockets: 1_000 });
  const body = Buffer.alloc(1_000_000, 0x20);
  const before = process.memoryUsage().arrayBuffers;
  const requests = Array.from({ length: 100 }, () => {
    const request = http.request(at, { method: 'POST', agent });
    request.on('error', () => {}).end(body);
    return request;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);
  for (const request of requests) request.destroy();
  agent.destroy();
  gate.resolve();
  await expect.poll(() => hubs.stats().hubs['/hub']?.invocations).toBe(2);
});

test('L1 O6 many pings: memory does not grow', async () => {
  const { url, hubs } = await start();
  const { ws } = await Raw.connect(`${url}/hub`);
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < (long ? 1_000 : 100); i++) ws.send('{"type":6}\x1e'.repeat(1_000));
  ws.ping();
  await once(ws, 'pong');
  expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 1, protocolErrors: 0 });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
});

test('N5 N6 O6 many negotiations: bounded, and removed after expiry', async () => {
  const { url, hubs, clock } = await serve(
    hub<object, object>({ path: '/hub', limits: { negotiations: 1_000 }, methods: {} }),
    { admission: { burst: 1_000_000 } },
  );
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 });
  const statuses = new Map<number, number>();
  const ask = async () => {
    const request = http.request(`${url}/hub/negotiate?negotiateVersion=1`, { method: 'POST', agent }).end();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.resume();
    await once(response, 'end');
    statuses.set(response.statusCode ?? 0, (statuses.get(response.statusCode ?? 0) ?? 0) + 1);
  };
  const total = long ? 100_000 : 1_500;
  for (let count = 0; count < total; count += 50) await Promise.all(Array.from({ length: 50 }, ask));
  agent.destroy();
  expect(Object.fromEntries(statuses)).toEqual({ 200: total });
  expect(hubs.stats().hubs['/hub']?.negotiations).toBe(1_000);
  clock.advance(16_000);
  expect(hubs.stats().hubs['/hub']?.negotiations).toBe(0);
});
