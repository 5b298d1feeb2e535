import type { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import * as ws from 'ws';
import { FrameReader } from '../src/transport/frame-reader.ts';
import { random } from './support.ts';

/** The frame reader together with `ws` reads the same as `ws` alone. SIGNALR_LONG: with many more cases. */

const long = process.env['SIGNALR_LONG'] !== undefined;
const timeout = long ? 600_000 : 60_000;

const maxPayload = 70_000;
/** The parser of `ws`, which is missing in its types. */
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable };

interface Frame {
  readonly first: number;
  readonly payload: Buffer;
  readonly isMasked?: boolean;
}

/** Encodes a client's frame (RFC 6455, 5.2). */
function client({ first, payload, isMasked = true }: Frame, key: Buffer): Buffer {
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = first;
  header[1] = (isMasked ? 0x80 : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  if (!isMasked) return Buffer.concat([header, payload]);
  return Buffer.concat([header, key, payload.map((byte, index) => byte ^ (key[index % 4] as number))]);
}

/** Records the events of the parser of `ws`, until an error or a close frame. */
function reference(events: string[]): Writable {
  const receiver = new Receiver({ isServer: true, maxPayload });
  receiver.on('message', (data: Buffer) => events.push(`message ${data.toString('hex')}`));
  receiver.on('ping', (data: Buffer) => events.push(`ping ${data.toString('hex')}`));
  receiver.on('pong', (data: Buffer) => events.push(`pong ${data.toString('hex')}`));
  receiver.on('conclude', (code: number) => events.push(`close ${code}`));
  receiver.on('error', (error: { code?: string }) => events.push(`error ${error.code}`));
  return receiver;
}

async function readByWs(bytes: Buffer): Promise<string[]> {
  const events: string[] = [];
  reference(events).write(Buffer.from(bytes));
  await new Promise(setImmediate);
  return events;
}

interface Both {
  /** The payload of all messages, joined, in hexadecimal digits. */
  readonly bytes: string;
  readonly events: string[];
  /** The number of `message` calls of the reader. */
  readonly taken: number;
  readonly hasPartialFrame: boolean;
}

async function readByBoth(chunks: readonly Buffer[]): Promise<Both> {
  const events: string[] = [];
  const receiver = reference(events);
  const reader = new FrameReader(maxPayload);
  const parts: Buffer[] = [];
  const sink = {
    // Copied: the bytes belong to the chunk.
    message: (payload: Buffer) => void parts.push(Buffer.from(payload)),
    toWs: (bytes: Buffer) => void receiver.write(Buffer.from(bytes)),
  };
  for (const chunk of chunks) reader.read(Buffer.from(chunk), sink);
  await new Promise(setImmediate);
  return {
    bytes: Buffer.concat(parts).toString('hex'),
    events,
    taken: parts.length,
    hasPartialFrame: reader.hasPartialFrame,
  };
}

/** The bytes of data frames, in hexadecimal digits. */
const dataOf = (list: readonly Frame[]) =>
  Buffer.concat(list.filter(({ first }) => (first & 0x0f) < 3).map(({ payload }) => payload)).toString('hex');
const messagesOf = (events: readonly string[]) =>
  events
    .filter((event) => event.startsWith('message'))
    .map((event) => event.slice('message '.length))
    .join('');
const othersOf = (events: readonly string[]) => events.filter((event) => !event.startsWith('message'));

const sizes = [0, 1, 3, 47, 48, 49, 50, 51, 125, 126, 127, 1_000, 65_535, 65_536];
const texts = ['', 'a', 'ü', '😀 ', 'a=candidate:842163049 1 udp ', '{"type":6}\u001e'];

/** A stream of valid frames, sometimes with an invalid one at the end. */
function frames(below: (limit: number) => number): Frame[] {
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const text = () => Buffer.from(pick(texts).repeat(1 + below(60)));
  const bytes = () => Buffer.from(Array.from({ length: below(8) === 0 ? pick(sizes) : below(200) }, () => below(256)));
  const control = (): Frame => ({ first: pick([0x89, 0x8a]), payload: bytes().subarray(0, 125) });
  const proper = (): Frame[] => {
    const kind = below(10);
    if (kind < 4) return [{ first: 0x81, payload: text() }];
    if (kind < 6) return [{ first: 0x82, payload: bytes() }];
    if (kind < 8) return [control()];
    const inner = Array.from({ length: below(3) }, (): Frame[] => [
      { first: 0x00, payload: text() },
      ...(below(2) ? [control()] : []),
    ]);
    return [{ first: 0x01, payload: text() }, ...inner.flat(), { first: 0x80, payload: text() }];
  };
  const improper: readonly (() => Frame)[] = [
    () => ({ first: 0x88, payload: Buffer.from([3, 232]) }),
    () => ({ first: 0x88, payload: Buffer.alloc(0) }),
    () => ({ first: 0x81, payload: text(), isMasked: false }),
    () => ({ first: 0x81, payload: Buffer.concat([text(), Buffer.from([0xff])]) }),
    () => ({ first: 0x82, payload: Buffer.alloc(maxPayload + below(2)) }),
    () => ({ first: pick([0x80, 0x83, 0x8b, 0xc1, 0xa1, 0x91, 0x09]), payload: text() }),
    () => ({ first: 0x01, payload: text() }),
  ];
  const whole = Array.from({ length: 1 + below(5) }, proper).flat();
  return below(2) ? [...whole, pick(improper)(), { first: 0x81, payload: text() }] : whole;
}

function cut(bytes: Buffer, below: (limit: number) => number): Buffer[] {
  const longest = [1, 3, 20, 2_000, 100_000][bytes.length < 5_000 ? below(5) : 3 + below(2)] as number;
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + below(longest);
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

test('W4 W7 any frames, split anywhere: the same bytes, responses and refusals as by ws alone', {
  timeout,
}, async () => {
  for (let seed = 0; seed < (long ? 100_000 : 1_500); seed++) {
    const below = random(seed);
    const key = () => Buffer.from([below(256), below(256), below(256), below(256)]);
    const list = frames(below);
    const bytes = Buffer.concat(list.map((frame) => client(frame, key())));
    const expected = await readByWs(bytes);
    const cutUp = cut(bytes, below);
    const read = await readByBoth(cutUp);
    expect(othersOf(read.events), `seed ${seed}`).toEqual(othersOf(expected));
    expect(messagesOf(read.events), `seed ${seed}: ws sees no message`).toBe('');
    // ws buffers a message that never ends; the reader passes its bytes on.
    const whole = messagesOf(expected);
    expect(read.bytes.startsWith(whole), `seed ${seed}`).toBe(true);
    expect(dataOf(list).startsWith(read.bytes), `seed ${seed}`).toBe(true);
    const isOver = expected.some((event) => /^(error|close)/.test(event));
    if (!isOver && !read.hasPartialFrame) expect(read.bytes, `seed ${seed}`).toBe(whole);
  }
});

test('W4 messages: none is passed to ws, and a complete one is passed on in one piece', async () => {
  const message = client({ first: 0x81, payload: Buffer.from('x'.repeat(300)) }, Buffer.from([1, 2, 3, 4]));
  const short = client({ first: 0x82, payload: Buffer.from([7]) }, Buffer.from([9, 8, 7, 6]));
  const ping = client({ first: 0x89, payload: Buffer.alloc(0) }, Buffer.from([5, 5, 5, 5]));
  const stream = Buffer.concat([message, short, ping, message, short, short]);
  const inOne = await readByBoth([stream]);
  expect(inOne.taken).toBe(5);
  expect(inOne.events).toEqual(['ping ']);
  // The first message is split, so it arrives in two pieces.
  const inTwo = await readByBoth([stream.subarray(0, 100), stream.subarray(100)]);
  expect(inTwo.taken).toBe(6);
  expect([inTwo.bytes, inTwo.events]).toEqual([inOne.bytes, inOne.events]);
});

test.each([
  ['a header', Buffer.from([0x81])],
  ['a frame', client({ first: 0x82, payload: Buffer.alloc(9) }, Buffer.alloc(4)).subarray(0, 10)],
  ['a message in fragments', client({ first: 0x01, payload: Buffer.from('a') }, Buffer.alloc(4))],
  ['a control frame', client({ first: 0x89, payload: Buffer.alloc(9) }, Buffer.alloc(4)).subarray(0, 8)],
])('W8 the start of %s: reported as incomplete', async (_what, bytes) => {
  expect((await readByBoth([bytes])).hasPartialFrame).toBe(true);
});
