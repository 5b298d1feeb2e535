import { expect, test } from 'vitest';
import { type DisconnectReason, HubError, hub, type StandardSchema } from '../src/index.ts';
import { frame } from '../src/protocol/frame.ts';
import { gate, Raw, serve, type Wire } from './support.ts';

interface Server {
  Echo(value: unknown): unknown;
  Nothing(): void;
  Big(value: string): number;
  Small(value: string): number;
  Fail(message: string): void;
  Refuse(message: string): void;
  Wait(name: string): string;
  Twice(value: number): number;
  Late(value: number): number;
  Secret(): void;
  Loop(): unknown;
}

interface Client {
  Hello(...values: unknown[]): void;
}

/** A hand-written schema: accepts numbers and doubles them. */
function doubled(late: boolean): StandardSchema<number> {
  const check = (value: unknown) =>
    typeof value === 'number' ? { value: value * 2 } : { issues: [{ message: 'Not a number', path: ['amount'] }] };
  const validate = (value: unknown) => (late ? Promise.resolve(check(value)) : check(value));
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

function buildHub(waits: Record<string, Promise<void>> = {}, order: string[] = [], parallel = 1) {
  return hub<Server, Client>({
    path: '/hub',
    limits: { perMethod: { Big: 65_536, Small: 200 }, messageBytes: 32_768, parallel, queued: 4 },
    input: { Twice: [doubled(false)], Late: [doubled(true)] },
    authorize: (_ctx, method) => (method === 'Secret' ? Promise.resolve(false) : true),
    onConnected: (ctx) => void ctx.clients.caller.Hello(undefined, 'you'),
    methods: {
      Echo: (_ctx, value) => value,
      Nothing: () => {},
      Big: (_ctx, value) => value.length,
      Small: (_ctx, value) => value.length,
      Fail: (_ctx, message) => {
        throw new TypeError(message);
      },
      Refuse: async (_ctx, message) => {
        throw new HubError(message);
      },
      async Wait(_ctx, name) {
        order.push(`start ${name}`);
        await waits[name];
        order.push(`end ${name}`);
        return name;
      },
      Twice: (_ctx, value) => value,
      Late: async (_ctx, value) => value,
      Secret: () => {},
      Loop: () => {
        const loop: Wire = {};
        loop.self = loop;
        return loop;
      },
    },
  });
}

async function connect(options: { detailedErrors?: boolean } = {}) {
  const served = await serve(buildHub(), options);
  const raw = await Raw.connect(`${served.url}/hub`);
  expect(await raw.next()).toEqual({ type: 1, target: 'Hello', arguments: [null, 'you'] });
  return { ...served, raw };
}

/** A client's frame of at most 125 bytes. */
function frameOf(first: number, payload: Buffer): Buffer {
  const key = Buffer.from([11, 22, 33, 44]);
  const body = payload.map((byte, index) => byte ^ (key[index % 4] as number));
  return Buffer.concat([Buffer.from([first, 0x80 | payload.length]), key, body]);
}

function call(word: string): Buffer {
  return Buffer.from(`{"type":1,"target":"Tell","arguments":["${word}"]}\x1e`);
}

function buildRecordingHub(words: string[], onDisconnected: (reason: DisconnectReason) => void) {
  return hub<{ Tell(word: string): void }, object>({
    path: '/hub',
    methods: { Tell: (_ctx, word) => void words.push(word) },
    onDisconnected: (_ctx, reason) => onDisconnected(reason),
  });
}

const unreadable = { type: 7, error: 'Connection closed with an error.', allowReconnect: true };

test('W4 many messages in one frame: completed in order', async () => {
  const { raw } = await connect();
  const calls = Array.from({ length: 200 }, (_, i) => ({
    type: 1,
    invocationId: `${i}`,
    target: 'Echo',
    arguments: ['x'.repeat(1_000)],
  }));
  raw.send(...calls);
  for (let i = 0; i < 200; i++) expect((await raw.next()).invocationId).toBe(`${i}`);
});

test('W4 handshake and messages split at every byte: handled', async () => {
  const { url } = await serve(buildHub());
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  const call = { type: 1, invocationId: 'ü', target: 'Echo', arguments: ['日本'] };
  const bytes = Buffer.from(`{"protocol":"json","version":1}\x1e${JSON.stringify(call)}\x1e{"type":6}\x1e`);
  for (const byte of bytes) raw.ws.send(Buffer.from([byte]));
  expect(await raw.next()).toEqual({});
  expect(await raw.next()).toMatchObject({ target: 'Hello' });
  expect(await raw.next()).toEqual({ type: 3, invocationId: 'ü', result: '日本' });
});

test('W5 a close frame without a code: the response has code 1000', async () => {
  const { raw } = await connect();
  raw.ws.close();
  expect((await raw.closed).code).toBe(1000);
});

const goodbye = frameOf(0x88, Buffer.from([3, 232]));

test.for([
  ['in one piece', [Buffer.concat([goodbye, frameOf(0x81, call('late'))]), frameOf(0x81, call('later'))]],
  ['in parts', [goodbye.subarray(0, 1), goodbye.subarray(1), frameOf(0x81, call('late')), goodbye]],
] as const)('W5 bytes after a close frame, %s: discarded', async ([, pieces]) => {
  const order: string[] = [];
  const gone = gate<DisconnectReason>();
  const served = await serve(buildRecordingHub(order, gone.open));
  const raw = await Raw.connect(`${served.url}/hub`);
  await raw.bytes(...pieces);
  expect((await raw.closed).code).toBe(1000);
  expect(await gone.promise).toBe('client-stop');
  expect(order).toEqual([]);
});

test('W4 a protocol violation: refused, later bytes are discarded, and the TCP connection is closed', async () => {
  const order: string[] = [];
  const gone = gate<DisconnectReason>();
  const served = await serve(buildRecordingHub(order, gone.open));
  const raw = await Raw.connect(`${served.url}/hub`);
  const noText = frameOf(0x81, Buffer.from([0x7b, 0xff, 0x7d]));
  await raw.bytes(frameOf(0x81, call('early')), Buffer.concat([noText, frameOf(0x81, call('late'))]));
  await raw.bytes(...Array.from({ length: 50 }, () => frameOf(0x81, call('later'))));
  expect((await raw.closed).code).toBe(1007);
  expect(await gone.promise).toBe('error');
  expect(order).toEqual(['early']);
  await expect.poll(() => served.sockets.size).toBe(0);
});

test('W7 a frame beyond the limit: close code 1009', async () => {
  const { raw } = await connect();
  raw.text('x'.repeat((1 << 20) + 1));
  expect((await raw.closed).code).toBe(1009);
});

test('W7 before the handshake a frame has room for it and one message, afterwards for many', async () => {
  const { url } = await serve(buildHub());
  const large = await Raw.connect(`${url}/hub`, { handshake: false });
  large.text('x'.repeat(4_096 + 65_536 + 1));
  expect((await large.closed).code).toBe(1009);
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  const calls = Array.from({ length: 3 }, (_, i) => ({
    type: 1,
    target: 'Big',
    arguments: ['x'.repeat(65_000)],
    invocationId: `${i}`,
  }));
  const [first, ...others] = calls.map((message) => `${JSON.stringify(message)}\x1e`);
  raw.text(`{"protocol":"json","version":1}\x1e${first}`);
  raw.text(others.join(''));
  for (const expected of [{}, { target: 'Hello' }, ...calls.map(({ invocationId }) => ({ type: 3, invocationId }))])
    expect(await raw.next()).toMatchObject(expected);
});

test('W7 more than 1,024 fragments: close code 1008', async () => {
  const { raw } = await connect();
  const [first, next] = [frameOf(0x01, Buffer.from('x')), frameOf(0x00, Buffer.from('x'))];
  await raw.bytes(Buffer.concat([first, ...Array.from({ length: 1_024 }, () => next)]));
  expect((await raw.closed).code).toBe(1008);
});

test('H3 an endless handshake: refused', async () => {
  const { url } = await serve(buildHub());
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  raw.text('x'.repeat(32_769));
  expect(await raw.next()).toEqual({ error: 'An unexpected error occurred during connection handshake.' });
});

test.for([0, 125, 126, 65_535, 65_536])('a frame of %i bytes: read', async (size) => {
  const { raw } = await connect();
  const data = 'x'.repeat(size);
  if (size < 32_000) expect((await raw.call('Echo', data)).result).toBe(data);
  const made = frame(new Uint8Array(size));
  const length = size < 126 ? made[1] : size < 65_536 ? made.readUInt16BE(2) : Number(made.readBigUInt64BE(2));
  expect([made[0], length]).toEqual([0x82, size]);
});

test('H1 handshake: the response is sent first, messages in the same frame are handled', async () => {
  const { url } = await serve(buildHub());
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  raw.text(
    '{"protocol":"JSON","version":2,"more":1}\x1e{"type":1,"invocationId":"1","target":"Nothing","arguments":[]}\x1e',
  );
  expect(await raw.next()).toEqual({});
  expect(await raw.next()).toMatchObject({ target: 'Hello' });
  expect(await raw.next()).toEqual({ type: 3, invocationId: '1', result: null });
  expect(raw.frames[0]).toBe('{}\x1e');
});

test.for([
  ['H2', '{"protocol":"morse","version":1}', "The protocol 'morse' is not supported."],
  ['H2', '{"protocol":"json","version":3}', "The server does not support version 3 of the 'json' protocol."],
  ['H3', '{"type":6}', 'An unexpected error occurred during connection handshake.'],
  ['H3', 'null', 'An unexpected error occurred during connection handshake.'],
  ['H3', 'x'.repeat(100), 'An unexpected error occurred during connection handshake.'],
])('%s handshake %j: %s', async ([, request, error]) => {
  const { url, hubs } = await serve(buildHub());
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  raw.text(`${request}\x1e`);
  expect(await raw.next()).toEqual({ error });
  expect((await raw.closed).code).toBe(1000);
  expect(hubs.stats().hubs['/hub']?.connections).toBe(0);
});

test('H4 no handshake within 15 s: canceled', async () => {
  const { url, clock, hubs, logged } = await serve(buildHub());
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  clock.advance(14_000);
  expect(raw.frames).toEqual([]);
  clock.advance(1_000);
  expect(await raw.next()).toEqual({ error: 'Handshake was canceled.' });
  await raw.closed;
  expect(hubs.stats().hubs['/hub']).toMatchObject({ handshakeTimeouts: 1 });
  expect(logged).toContainEqual(
    expect.objectContaining({ details: expect.objectContaining({ transport: 'WebSockets' }) }),
  );
});

test('M1 unknown types and ids: ignored', async () => {
  const { raw } = await connect();
  raw.send(
    { type: 99 },
    { type: 9, sequenceId: 1 },
    { type: 3, invocationId: '7', result: 1 },
    { type: 2, invocationId: '7', item: 1 },
    { type: 5, invocationId: '7' },
    { type: 1, headers: { a: 'b' }, invocationId: '1', target: 'Echo', arguments: [1] },
  );
  expect(await raw.next()).toEqual({ type: 3, invocationId: '1', result: 1 });
});

test.for([
  ['{', 'Error reading JSON.'],
  ['[]', 'Error reading JSON.'],
  ['{}', "Missing required property 'type'."],
  ['{"type":"1"}', "Expected 'type' to be of type Number."],
  ['{"type":1,"arguments":[]}', "Missing required property 'target'."],
  ['{"type":1,"target":1,"arguments":[]}', "Expected 'target' to be of type String."],
  ['{"type":1,"target":"Echo"}', "Missing required property 'arguments'."],
  ['{"type":1,"target":"Echo","arguments":{}}', "Expected 'arguments' to be of type Array."],
  ['{"type":1,"target":"Echo","arguments":[],"invocationId":1}', "Expected 'invocationId' to be of type String."],
  ['{"type":1,"target":"Echo","arguments":[],"streamIds":[1]}', "Expected 'streamIds' to be of type Array."],
  ['{"type":4,"target":"Echo","arguments":[]}', "Missing required property 'invocationId'."],
  ['{"type":2,"invocationId":"1"}', "Missing required property 'item'."],
  [
    '{"type":3,"invocationId":"1","result":1,"error":"x"}',
    "The 'error' and 'result' properties are mutually exclusive.",
  ],
])('M2 message %s: Close, %s', async ([message, detail]) => {
  const plain = await connect();
  plain.raw.text(`${message}\x1e`);
  expect(await plain.raw.next()).toEqual(unreadable);
  expect((await plain.raw.closed).code).toBe(1000);
  const detailed = await connect({ detailedErrors: true });
  detailed.raw.text(`${message}\x1e`);
  expect((await detailed.raw.next()).error).toBe(`Connection closed with an error. InvalidDataException: ${detail}`);
});

test('M3 a message above the largest limit, complete or not: Close; the log has its target and not its content', async () => {
  const { raw, logged } = await connect({ detailedErrors: true });
  raw.text(`{"type":1,"target":"Big","invocationId":"1","arguments":["${'x'.repeat(66_000)}`);
  expect(await raw.next()).toEqual({
    type: 7,
    error: 'Connection closed with an error. InvalidDataException: The maximum message size of 65536B was exceeded.',
    allowReconnect: true,
  });
  expect(logged.at(-1)).toMatchObject({ level: 'warn', details: { target: 'Big' } });
  expect(JSON.stringify(logged)).not.toContain('xxx');
});

test("M4 a message beyond its method's limit: an error, and the connection continues", async () => {
  const { raw } = await connect();
  expect((await raw.call('Big', 'x'.repeat(60_000))).result).toBe(60_000);
  expect((await raw.call('Small', 'x'.repeat(200))).error).toBe(
    "Failed to invoke 'Small' due to an error on the server. HubException: The message has 263 bytes, but at most 200 are allowed.",
  );
  expect((await raw.call('Echo', 'x'.repeat(40_000))).error).toContain('at most 32768 are allowed');
  expect((await raw.call('Small', 'x')).result).toBe(1);
  raw.send({ type: 1, target: 'Small', arguments: ['x'.repeat(200)] });
  expect(await raw.next()).toEqual(unreadable);
});

test('I1 invocations: case-insensitive targets, null for no result, no completion without an id', async () => {
  const { raw } = await connect();
  raw.send({ type: 1, target: 'echo', arguments: [1] }, { type: 1, target: 'Missing', arguments: [] });
  raw.send({ type: 1, invocationId: null, target: 'Fail', arguments: ['x'] });
  expect(await raw.call('eCHO', { a: [1] })).toEqual({ type: 3, invocationId: '1', result: { a: [1] } });
  expect(await raw.call('Nothing')).toEqual({ type: 3, invocationId: '2', result: null });
});

test.for<[string, string, unknown[], string]>([
  [
    'I2',
    'Missing',
    [],
    "Failed to invoke 'Missing' due to an error on the server. HubException: Method does not exist.",
  ],
  [
    'I2',
    'constructor',
    [],
    "Failed to invoke 'constructor' due to an error on the server. HubException: Method does not exist.",
  ],
  [
    'I3',
    'Echo',
    [],
    "Failed to invoke 'Echo' due to an error on the server. InvalidDataException: Invocation provides 0 argument(s) but target expects 1.",
  ],
  [
    'I3',
    'Twice',
    [1, 2],
    "Failed to invoke 'Twice' due to an error on the server. InvalidDataException: Invocation provides 2 argument(s) but target expects 1.",
  ],
  [
    'I4',
    'Twice',
    ['x'],
    "Failed to invoke 'Twice' due to an error on the server. HubException: Argument 1 (amount) is invalid: Not a number",
  ],
  [
    'I4',
    'Late',
    ['x'],
    "Failed to invoke 'Late' due to an error on the server. HubException: Argument 1 (amount) is invalid: Not a number",
  ],
  ['I5', 'Refuse', ['No.'], "An unexpected error occurred invoking 'Refuse' on the server. HubException: No."],
  ['I5', 'Fail', ['secret'], "An unexpected error occurred invoking 'Fail' on the server."],
  ['I5', 'Loop', [], "An unexpected error occurred invoking 'Loop' on the server."],
  ['I6', 'Secret', [], "Failed to invoke 'Secret' because user is unauthorized"],
])('%s call of %s with %j: an error', async ([, method, args, error]) => {
  const { raw } = await connect();
  expect(await raw.call(method, ...args)).toEqual({ type: 3, invocationId: '1', error });
  expect((await raw.call('Echo', 1)).result).toBe(1);
});

test("I4 the method: gets the schema's output", async () => {
  const { raw } = await connect();
  expect((await raw.call('Twice', 4)).result).toBe(8);
  expect((await raw.call('Late', 5)).result).toBe(10);
});

test('I5 detailed errors: the client gets the error, which is always logged', async () => {
  const { raw, logged } = await connect({ detailedErrors: true });
  expect((await raw.call('Fail', 'broken')).error).toBe(
    "An unexpected error occurred invoking 'Fail' on the server. TypeError: broken",
  );
  expect(logged.at(-1)).toMatchObject({ level: 'error', message: 'hub method failed', details: { target: 'Fail' } });
});

test('I7 invocations: one at a time and in order; reading pauses when too many wait', async () => {
  const [a, b] = [gate(), gate()];
  const order: string[] = [];
  const { url } = await serve(buildHub({ a: a.promise, b: b.promise }, order));
  const raw = await Raw.connect(`${url}/hub`);
  await raw.next();
  const names = ['a', 'b', ...Array.from({ length: 30 }, (_, i) => `c${i}`)];
  for (const name of names) raw.send({ type: 1, invocationId: name, target: 'Wait', arguments: [name] });
  a.open();
  expect((await raw.next()).result).toBe('a');
  expect(order).toEqual(['start a', 'end a', 'start b']);
  b.open();
  for (const name of names.slice(1)) expect((await raw.next()).result).toBe(name);
  expect(order).toEqual(names.flatMap((name) => [`start ${name}`, `end ${name}`]));
});

test('I7 parallel: allows more at a time', async () => {
  const [a, b] = [gate(), gate()];
  const { url } = await serve(buildHub({ a: a.promise, b: b.promise }, [], 2));
  const raw = await Raw.connect(`${url}/hub`);
  await raw.next();
  for (const name of ['a', 'b', 'c']) raw.send({ type: 1, invocationId: name, target: 'Wait', arguments: [name] });
  b.open();
  expect((await raw.next()).result).toBe('b');
  expect((await raw.next()).result).toBe('c');
  a.open();
  expect((await raw.next()).result).toBe('a');
});

test('I8 unexpected streams: an error', async () => {
  const { raw } = await connect();
  raw.send({ type: 4, invocationId: '1', target: 'Echo', arguments: [1] });
  expect((await raw.next()).error).toBe(
    "The client attempted to invoke the non-streaming 'Echo' method with a streaming invocation.",
  );
  raw.send({ type: 1, invocationId: '2', target: 'Echo', arguments: [1], streamIds: ['1'] });
  expect((await raw.next()).error).toContain('Client sent 1 stream(s), Hub method expects 0.');
});

test('I9 messages before the close: still handled', async () => {
  const [a, done] = [gate(), gate<string>()];
  const order: string[] = [];
  const first = hub<Pick<Server, 'Wait'>, Client>({
    path: '/hub',
    methods: {
      Wait: async (_ctx, name) => {
        if (name === 'a') await a.promise;
        order.push(name);
        return name;
      },
    },
    onDisconnected: (_ctx, reason) => done.open(reason),
  });
  const { url } = await serve(first);
  const raw = await Raw.connect(`${url}/hub`);
  for (const name of ['a', 'b', 'c']) raw.send({ type: 1, target: 'Wait', arguments: [name] });
  raw.send({ type: 7 });
  raw.ws.close(1000);
  await raw.closed;
  a.open();
  expect(await done.promise).toBe('client-stop');
  expect(order).toEqual(['a', 'b', 'c']);
});

test('types: a method with optional or rest parameters has no implementation', () => {
  interface Optional {
    Fixed(a: string, b: string | null): void;
    Optional(a: string, b?: string): void;
    Rest(...all: string[]): void;
  }
  const definition = hub<Optional, object>({
    path: '/types',
    methods: {
      Fixed: () => {},
      // @ts-expect-error -- It could not be called with one argument.
      Optional: (_ctx: unknown, _a: string, _b?: string) => {},
      // @ts-expect-error -- It could not be called with arguments.
      Rest: (_ctx: unknown, ..._all: string[]) => {},
    },
  });
  expect(definition.path).toBe('/types');
});
