import { once } from 'node:events';
import { type HubMessage, NullLogger } from '@microsoft/signalr';
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack';
import { decode, ExtData, encode } from '@msgpack/msgpack';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RawData, WebSocket } from 'ws';
import type { Read } from '../src/index.ts';
import { hub } from '../src/index.ts';
import { messagePack } from '../src/protocol/messagepack.ts';
import { type Message, ProtocolError } from '../src/protocol/messages.ts';
import { serve } from './support.ts';

const readOne = (...given: Parameters<typeof messagePack.read>) => messagePack.read(...given) as Read | undefined;

/** The codec against that of Microsoft's client, and invalid input. */

const real = new MessagePackHubProtocol();
const limit = 32_768;

function framed(body: Uint8Array): Buffer {
  const prefix: number[] = [];
  for (let rest = body.length; ; rest >>>= 7) {
    prefix.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    if (rest <= 0x7f) return Buffer.concat([Buffer.from(prefix), body]);
  }
}
const packed = (value: unknown) => framed(encode(value));
const read = (data: Buffer) => readOne(data, 0, limit);

const value = { text: 'Ünï\u001e', list: [1, -1, 2 ** 40, 2.5, null, true], bytes: new Uint8Array([0, 30, 255]) };

const fromClient: [Message, object][] = [
  [
    { type: 1, invocationId: undefined, target: 'Say', arguments: [value], streamIds: [] },
    { type: 1, headers: {}, target: 'Say', arguments: [value], streamIds: [] },
  ],
  [
    { type: 1, invocationId: '7', target: 'Say', arguments: [], streamIds: ['8', '9'] },
    { type: 1, headers: { a: 'b' }, invocationId: '7', target: 'Say', arguments: [], streamIds: ['8', '9'] },
  ],
  [
    { type: 4, invocationId: '1', target: 'Count', arguments: [5], streamIds: [] },
    { type: 4, headers: {}, invocationId: '1', target: 'Count', arguments: [5], streamIds: [] },
  ],
  [
    { type: 2, invocationId: '1', item: value },
    { type: 2, headers: {}, invocationId: '1', item: value },
  ],
  [
    { type: 3, invocationId: '1', hasResult: true, result: value },
    { type: 3, headers: {}, invocationId: '1', result: value },
  ],
  [
    { type: 3, invocationId: '1', hasResult: false },
    { type: 3, headers: {}, invocationId: '1' },
  ],
  [
    { type: 3, invocationId: '1', error: 'No.' },
    { type: 3, headers: {}, invocationId: '1', error: 'No.' },
  ],
  [
    { type: 5, invocationId: '1' },
    { type: 5, headers: {}, invocationId: '1' },
  ],
  [{ type: 6 }, { type: 6 }],
  [
    { type: 8, sequenceId: 300 },
    { type: 8, sequenceId: 300 },
  ],
  [
    { type: 9, sequenceId: 2 ** 33 },
    { type: 9, sequenceId: 2 ** 33 },
  ],
];

const toClient: [Message, object][] = [
  [
    { type: 1, target: 'Said', arguments: [value] },
    { type: 1, target: 'Said', arguments: [value] },
  ],
  [
    { type: 1, invocationId: 's1', target: 'Ask', arguments: [undefined] },
    { type: 1, invocationId: 's1', target: 'Ask', arguments: [null] },
  ],
  [
    { type: 2, invocationId: '1', item: value },
    { type: 2, invocationId: '1', item: value },
  ],
  [
    { type: 3, invocationId: '1', hasResult: true, result: undefined },
    { type: 3, invocationId: '1', result: null },
  ],
  [
    { type: 3, invocationId: '1' },
    { type: 3, invocationId: '1' },
  ],
  [
    { type: 3, invocationId: '1', error: '' },
    { type: 3, invocationId: '1', error: '' },
  ],
  [{ type: 6 }, { type: 6 }],
  [
    { type: 7, error: 'Bye.', allowReconnect: true },
    { type: 7, error: 'Bye.', allowReconnect: true },
  ],
  [{ type: 7 }, { type: 7, allowReconnect: false }],
  [
    { type: 8, sequenceId: 1 },
    { type: 8, sequenceId: 1 },
  ],
  [
    { type: 9, sequenceId: 128 },
    { type: 9, sequenceId: 128 },
  ],
];

describe('X1 the codec', () => {
  test.each(fromClient)("reads the client's encoding: %o", (ours, theirs) => {
    const data = Buffer.from(real.writeMessage(theirs as HubMessage));
    expect(read(data)).toEqual({ message: ours, bytes: data.length - (data.length > 128 ? 2 : 1), next: data.length });
    const prefix = data.length > 128 ? 2 : 1;
    for (let cut = 0; cut < data.length; cut++)
      expect(messagePack.read(data.subarray(0, cut), 0, limit)).toBe(cut < prefix ? undefined : data.length);
  });

  test.each(toClient)('writes an encoding that the client reads: %o', (ours, theirs) => {
    const data = messagePack.write(ours) as Buffer;
    const exact = new Uint8Array(data).buffer;
    expect(real.parseMessages(exact, NullLogger.instance)).toMatchObject([theirs]);
  });

  test('ping and close: a ping has three bytes, a close always has two fields', () => {
    expect(messagePack.write({ type: 6 })).toEqual(Buffer.from([2, 0x91, 6]));
    expect(decode((messagePack.write({ type: 7 }) as Buffer).subarray(1))).toEqual([7, null, false]);
    expect(read(packed([7]))?.message).toEqual({ type: 7, error: undefined, allowReconnect: false });
  });

  test('extensions: timestamps become dates, others keep their bytes', () => {
    const at = new Date(Date.UTC(2030, 0, 1, 0, 0, 0, 5));
    const extension = new ExtData(42, new Uint8Array([1, 2, 3]));
    const back = read(packed([2, {}, '1', [at, extension, new ExtData(7, new Uint8Array(16))]]))?.message;
    expect(back).toMatchObject({ item: [at, extension, { type: 7 }] });
    const written = decode((messagePack.write({ type: 2, invocationId: '1', item: at }) as Buffer).subarray(1));
    expect(written).toEqual([2, {}, '1', at]);
  });

  test('M1 additional fields and unknown types: ignored', () => {
    expect(read(packed([6, 1, 2, 3]))?.message).toEqual({ type: 6 });
    expect(read(packed([99, {}, 'x']))?.message).toBeUndefined();
    expect(read(packed([5, {}, '1', { uploads: [] }]))?.message).toEqual({ type: 5, invocationId: '1' });
  });
});

const nested = (depth: number, first: readonly number[]) =>
  framed(Buffer.concat([...Array.from({ length: depth }, () => Buffer.from(first)), Buffer.from([0xc0])]));

const bad: [what: string, data: Buffer][] = [
  ['nothing', framed(Buffer.alloc(0))],
  ['a length without end', Buffer.alloc(6, 0xff)],
  ['six bytes of length', Buffer.from([0x82, 0x80, 0x80, 0x80, 0x80, 0x00, 0x91, 6])],
  ['a length of many gigabytes', Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f])],
  ['one byte above the limit', framed(Buffer.alloc(limit + 1, 0x90))],
  ['no array', packed({ type: 1 })],
  ['an empty array', packed([])],
  ['a type that is text', packed(['1', {}, '1', 'Say', []])],
  ['a target that is a number', packed([1, {}, '1', 5, []])],
  ['no target', packed([1, {}, '1'])],
  ['no arguments', packed([1, {}, '1', 'Say'])],
  ['arguments that are a map', packed([1, {}, '1', 'Say', { length: 0 }])],
  ['an id that is a number', packed([1, {}, 1, 'Say', []])],
  ['a stream without an id', packed([4, {}, null, 'Say', []])],
  ['streams that are text', packed([1, {}, '1', 'Say', [], 'ids'])],
  ['streams that are numbers', packed([1, {}, '1', 'Say', [], [1]])],
  ['a missing item', packed([2, {}, '1'])],
  ['a completion of an unknown kind', packed([3, {}, '1', 4, 'x'])],
  ['a missing result', packed([3, {}, '1', 3])],
  ['an error that is a number', packed([3, {}, '1', 1, 5])],
  ['a cancellation without an id', packed([5, {}])],
  ['an acknowledgement of text', packed([8, '1'])],
  ['a fractional sequence', packed([9, 1.5])],
  ['bytes behind the array', framed(Buffer.from([0x91, 6, 0xc0]))],
  ['half a text', framed(Buffer.from([0x91, 0xd9, 50, 0x61]))],
  ['an incomplete length', framed(Buffer.from([0x91, 0xdb, 0, 0]))],
  ['an unassigned byte', framed(Buffer.from([0x91, 0xc1]))],
  ['an array that declares four billion values', framed(Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]))],
  ['a map that declares four billion values', framed(Buffer.from([0x91, 0xdf, 0xff, 0xff, 0xff, 0xff]))],
  ['nested arrays that declare a gigabyte', nested(6_000, [0xdd, 0, 0, 0x75, 0x30])],
  ['a __proto__ key', packed([1, {}, '1', 'Say', [JSON.parse('{"__proto__":1}')]])],
];

describe('X3 X4 invalid input: refused', () => {
  test.each(bad)('%s', (_what, data) => {
    const before = process.memoryUsage().rss;
    expect(() => read(data)).toThrow(ProtocolError);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test('X4 thirty thousand nested arrays: refused', () => {
    expect(() => read(nested(30_000, [0x91]))).toThrow(ProtocolError);
    const deep = framed(
      Buffer.concat([Buffer.from([0x94, 2, 0x80, 0xa1, 0x31]), Buffer.alloc(30_000, 0x91), Buffer.from([0xc0])]),
    );
    expect(read(deep)?.message).toMatchObject({ type: 2, invocationId: '1' });
  });

  test('a length in more bytes than necessary: accepted', () => {
    expect(read(Buffer.from([0x82, 0x80, 0x00, 0x91, 6]))?.message).toEqual({ type: 6 });
  });
});

/** Opens a WebSocket that sends hand-made MessagePack. */
async function connect(url: string, handshake: string | Buffer = '{"protocol":"messagepack","version":1}\x1e') {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/hub`);
  onTestFinished(() => ws.terminate());
  const messages: unknown[][] = [];
  let greeting = '';
  ws.on('message', (data: RawData) => {
    const bytes = data as Buffer;
    if (!greeting) greeting = bytes.toString();
    else for (let at = 0; at < bytes.length; ) at = take(bytes, at, messages);
  });
  await once(ws, 'open');
  ws.send(handshake);
  await expect.poll(() => greeting).toBe('{}\x1e');
  return { ws, messages };
}

function take(bytes: Buffer, at: number, messages: unknown[][]): number {
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] as number;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  messages.push(decode(new Uint8Array(bytes.subarray(at, at + length))) as unknown[]);
  return at + length;
}

const echo = hub<{ Echo(value: unknown): unknown }, object>({
  path: '/hub',
  limits: { perMethod: { Echo: 1_000 } },
  methods: { Echo: (_ctx, given) => given },
});
const options = { protocols: [messagePack], detailedErrors: true };

test('X2 H1 a handshake in a binary frame, then messages split at every byte: handled', async () => {
  const { url } = await serve(echo, options);
  const { ws, messages } = await connect(url, Buffer.from('{"protocol":"MessagePack","version":1}\x1e'));
  const whole = Buffer.concat([packed([1, {}, '1', 'Echo', [value]]), packed([1, {}, '2', 'echo', [null]])]);
  for (const byte of whole) ws.send(Buffer.from([byte]));
  await expect.poll(() => messages).toHaveLength(2);
  ws.send(whole);
  await expect.poll(() => messages).toHaveLength(4);
  expect(messages[2]).toEqual([3, {}, '1', 3, value]);
  expect(messages[3]).toEqual([3, {}, '2', 3, null]);
});

test("X2 M4 beyond a method's limit, or too deep to encode: an error of the call", async () => {
  const { url } = await serve(echo, options);
  const { ws, messages } = await connect(url);
  ws.send(packed([1, {}, '1', 'Echo', ['x'.repeat(2_000)]]));
  let deep: unknown = 1;
  for (let depth = 0; depth < 90; depth++) deep = [deep];
  const invocation = encode([1, {}, '2', 'Echo', [deep]]);
  const deeper = Buffer.concat([invocation.subarray(0, -91), Buffer.alloc(200, 0x91), invocation.subarray(-91)]);
  ws.send(framed(invocation));
  ws.send(framed(deeper));
  await expect.poll(() => messages).toHaveLength(3);
  expect(messages[0]?.[4]).toMatch(/at most 1000 are allowed/);
  expect(messages[1]).toEqual([3, {}, '2', 3, deep]);
  expect(messages[2]?.[3]).toBe(1);
});

test.each(bad)('X3 %s: Close with allowReconnect', async (_what, data) => {
  const { url, logged, hubs } = await serve(echo, options);
  const { ws, messages } = await connect(url);
  const closed = once(ws, 'close');
  ws.send(data);
  await closed;
  expect(messages).toEqual([[7, expect.stringMatching(/^Connection closed with an error\. InvalidData/), true]]);
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 0, protocolErrors: 1 });
});
