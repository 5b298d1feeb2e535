import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type DisconnectReason, hub, type Protocol, stream } from '../src/index.ts';
import { json } from '../src/protocol/json.ts';
import { messagePack } from '../src/protocol/messagepack.ts';
import { Scheduler } from '../src/scheduler.ts';
import { gate, negotiate, Raw, type Served, serve } from './support.ts';
import { begin, call } from './support-streams.ts';

/** Clients that send fragments, floods and incomplete messages: the effect on the server and on other clients. */

interface Server {
  Echo(value: unknown): unknown;
  Later(value: unknown): unknown;
  Spin(): void;
  Fail(): void;
  Hang(): void;
  Join(group: string): void;
  Endless(): AsyncIterable<number>;
}

const seen: unknown[] = [];
const reasons: DisconnectReason[] = [];
const hanging = gate();

function buildHub(limits = {}) {
  seen.length = 0;
  reasons.length = 0;
  return hub<Server, object>({
    path: '/hub',
    limits,
    methods: {
      Echo(_ctx, value) {
        seen.push(value);
        return value;
      },
      Later: async (_ctx, value) => {
        seen.push(value);
        return value;
      },
      Spin() {
        const end = performance.now() + 1;
        while (performance.now() < end);
        seen.push('spin');
      },
      Fail() {
        throw new Error('my bug');
      },
      Hang: () => hanging.promise,
      Join: (ctx, group) => ctx.groups.add(group),
      Endless: stream(async function* () {
        for (let value = 0; ; value++) yield value;
      }),
    },
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });
}

/** The JSON protocol with a count of its reads. */
function counted(protocol: Protocol): { readonly protocol: Protocol; reads: number } {
  const self = {
    reads: 0,
    protocol: {
      ...protocol,
      name: 'counted',
      read(...args: Parameters<Protocol['read']>) {
        self.reads++;
        return protocol.read(...args);
      },
    },
  };
  return self;
}

/** A masked frame, or a part of one. */
function frame(payload: Buffer | string, first = 0x82): Buffer {
  const data = Buffer.from(payload);
  const header = Buffer.alloc(data.length < 126 ? 6 : data.length < 65_536 ? 8 : 14);
  header[0] = first;
  header[1] = 0x80 | (data.length < 126 ? data.length : data.length < 65_536 ? 126 : 127);
  if (header.length === 8) header.writeUInt16BE(data.length, 2);
  if (header.length === 14) header.writeUInt32BE(data.length, 6);
  return Buffer.concat([header, data]);
}
const inBytes = (data: Buffer | string) =>
  Buffer.concat(Array.from(Buffer.from(data), (byte) => frame(Buffer.from([byte]))));

/** Returns the client's TCP socket, for raw bytes. */
function socketOf({ ws }: Raw): Socket {
  return (ws as unknown as { _socket: Socket })._socket;
}

/** Waits until the server has read everything that these sockets have written. */
async function arrived(served: Served, ...sockets: readonly Socket[]): Promise<void> {
  await expect
    .poll(() => {
      const read = new Map(Array.from(served.sockets, (socket) => [socket.remotePort, socket.bytesRead]));
      return sockets.every((socket) => read.get(socket.localPort) === socket.bytesWritten);
    })
    .toBe(true);
}

async function speak(url: string, protocol: string): Promise<Raw> {
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  raw.send({ protocol, version: 1 });
  await raw.next();
  return raw;
}

const only = ({ hubs }: Served) => hubs.stats().hubs['/hub'];
const seconds = ({ clock }: Served, count: number) => {
  for (let second = 0; second < count; second++) clock.advance(1_000);
};

describe('W4 a message in frames of one byte', () => {
  test.each([
    ['JSON', json, 2],
    ['MessagePack', messagePack, 3],
  ] as const)('%s: parsed once, not again at each byte', async (_name, inner, max) => {
    const probe = counted(inner);
    const served = await serve(buildHub(), { protocols: [probe.protocol] });
    const raw = await speak(served.url, 'counted');
    const message = { type: 1, target: 'Echo', arguments: ['x'.repeat(5_000)] } as const;
    socketOf(raw).write(inBytes(Buffer.from(inner.write(message) as string)));
    await expect.poll(() => seen).toEqual(['x'.repeat(5_000)]);
    expect(probe.reads).toBeLessThanOrEqual(max);
  });

  test('the handshake, and two messages in adjacent bytes: both are handled', async () => {
    const { url } = await serve(buildHub());
    const raw = await Raw.connect(`${url}/hub`, { handshake: false });
    const text = [{ protocol: 'json', version: 1 }, call('Echo', '1', [1]), call('Echo', '2', [2])];
    socketOf(raw).write(inBytes(text.map((message) => `${JSON.stringify(message)}\x1e`).join('')));
    expect(await raw.next()).toEqual({});
    expect([await raw.next(), await raw.next()]).toMatchObject([{ result: 1 }, { result: 2 }]);
  });
});

describe('an incomplete message', () => {
  test.each([
    [
      'in fragments',
      (part: Buffer) => Buffer.concat([frame(part.subarray(0, 1), 0x02), frame(part.subarray(1), 0x80)]),
    ],
    ['in one frame', (part: Buffer) => frame(part)],
    ['in two frames', (part: Buffer) => Buffer.concat([frame(part.subarray(0, 9)), frame(part.subarray(9))])],
  ])('M3 %s: refused when it exceeds the message limit', async (_how, send) => {
    const served = await serve(buildHub());
    const raw = await Raw.connect(`${served.url}/hub`);
    socketOf(raw).write(send(Buffer.alloc(32_700, 'x')));
    await arrived(served, socketOf(raw));
    expect(only(served)).toMatchObject({ connections: 1, protocolErrors: 0 });
    const other = await Raw.connect(`${served.url}/hub`);
    socketOf(other).write(send(Buffer.alloc(33_000, 'x')));
    expect(await other.next()).toEqual({ type: 7, error: 'Connection closed with an error.', allowReconnect: true });
    await other.closed;
    expect(only(served)).toMatchObject({ connections: 1, protocolErrors: 1 });
  });

  test('H3 a handshake of more than 4 KB, in one frame or several: refused', async () => {
    const { url } = await serve(buildHub());
    for (const bytes of [frame(Buffer.alloc(5_000, 'x')), inBytes(Buffer.alloc(4_200, 'x'))]) {
      const raw = await Raw.connect(`${url}/hub`, { handshake: false });
      socketOf(raw).write(bytes);
      expect(await raw.next()).toEqual({ error: 'An unexpected error occurred during connection handshake.' });
      await raw.closed;
    }
    // Messages behind it in the same frame do not count.
    const raw = await Raw.connect(`${url}/hub`, { handshake: false });
    raw.text(`{"protocol":"json","version":1}\x1e${JSON.stringify(call('Echo', '1', ['x'.repeat(30_000)]))}\x1e`);
    expect([await raw.next(), await raw.next()]).toMatchObject([{}, { invocationId: '1' }]);
  });

  test.each([
    ['an incomplete message', frame('{"type":1'), frame('x')],
    ['an incomplete frame', frame(Buffer.alloc(100, 'x')).subarray(0, 20), Buffer.from([0])],
    ['an incomplete header', Buffer.from([0x82]), Buffer.from([0xfe])],
    ['an incomplete fragmented message', frame('', 0x02), frame('x', 0x00)],
  ])('W8 %s: closed after 30 s, also when the client never pings', async (_what, start, more) => {
    const served = await serve(buildHub());
    const raw = await Raw.connect(`${served.url}/hub`);
    await raw.call('Echo', 1);
    seconds(served, 100);
    await raw.next();
    await raw.bytes(start);
    await arrived(served, socketOf(raw));
    seconds(served, 20);
    // Another byte does not reset the timeout.
    await raw.bytes(more);
    await arrived(served, socketOf(raw));
    seconds(served, 10);
    expect(reasons).toEqual([]);
    seconds(served, 1);
    expect(reasons).toEqual(['timeout']);
  });

  test('W8 a client that completes messages: not closed, although one is always incomplete', async () => {
    const served = await serve(buildHub());
    const raw = await Raw.connect(`${served.url}/hub`);
    const message = `${JSON.stringify(call('Echo', '1', ['x']))}\x1e`;
    let begun = '';
    for (let second = 1; second <= 100; second++) {
      const rest = message.slice(begun.length);
      begun = message.slice(0, second % 20);
      await raw.bytes(frame(rest + begun));
      await expect.poll(() => seen.length).toBe(second);
      seconds(served, 1);
    }
    expect(reasons).toEqual([]);
  });
});

describe('P9 an incomplete POST', () => {
  async function half(served: Served, accept = '*/*') {
    const { connectionToken } = await negotiate(`${served.url}/hub`);
    const at = `${served.url}/hub?id=${connectionToken}`;
    const opened = await fetch(at, { headers: { accept } });
    if (accept === '*/*') await opened.text();
    await fetch(at, { method: 'POST', body: '{"protocol":"json","version":1}\x1e' });
    const post = http.request(at, { method: 'POST', headers: { 'content-length': 900_000 } });
    post.on('error', () => {});
    const answered = once(post, 'response').then(async ([response]) => {
      response.resume();
      await once(response, 'close');
      return response.statusCode as number;
    });
    const closed = once(post, 'close');
    const opening = once(post, 'socket');
    post.write(Buffer.alloc(500_000, 'x'));
    const [socket] = (await opening) as [Socket];
    await arrived(served, socket);
    return { at, post, answered, closed };
  }

  test('ends when its long-polling connection ends', async () => {
    const served = await serve(buildHub());
    const { at, answered, closed } = await half(served);
    expect((await fetch(at, { method: 'DELETE' })).status).toBe(202);
    expect(await answered).toBe(404);
    await closed;
  });

  test.each(['*/*', 'text/event-stream'])('times out after 30 s (%s), and the next one is read', async (accept) => {
    const served = await serve(buildHub());
    const { at, answered, closed } = await half(served, accept);
    const requests: string[] = [];
    served.http.on('request', ({ method }) => void requests.push(method ?? ''));
    const behind = fetch(at, { method: 'POST', body: `${JSON.stringify(call('Echo', '1', ['behind']))}\x1e` });
    // The client is connected while a poll is open.
    if (accept === '*/*') {
      expect(await (await fetch(at)).text()).toBe('{}\x1e');
      void fetch(at).then((response) => response.text());
    }
    await expect.poll(() => requests.length).toBe(accept === '*/*' ? 3 : 1);
    seconds(served, 29);
    expect(seen).toEqual([]);
    seconds(served, 2);
    expect(await answered).toBe(408);
    await closed;
    expect((await behind).status).toBe(200);
    expect(seen).toEqual(['behind']);
  });
});

describe('one client sends a lot of work, another is served meanwhile', () => {
  test.each([
    ['calls that fail', 'Fail'],
    ['asynchronous calls', 'Later'],
  ])('O6 17,000 %s in one frame: another client is served', async (_what, target) => {
    const served = await serve(buildHub());
    const [busy, other] = [await Raw.connect(`${served.url}/hub`), await Raw.connect(`${served.url}/hub`)];
    busy.text(`{"type":1,"target":"${target}","arguments":${target === 'Fail' ? '[]' : '[1]'}}\x1e`.repeat(17_000));
    await expect.poll(() => only(served)?.invocations, { interval: 1 }).toBeGreaterThan(0);
    expect(await other.call('Echo', 'other')).toMatchObject({ result: 'other' });
    expect(only(served)?.invocations).toBeLessThan(17_001);
    await expect.poll(() => only(served)?.invocations).toBe(17_001);
  });

  test('I7 I9 deferred messages: run in order, before the close that follows them', async () => {
    const served = await serve(buildHub());
    const raw = await Raw.connect(`${served.url}/hub`);
    const numbers = Array.from({ length: 1_000 }, (_, number) => number);
    const spin = '{"type":1,"target":"Spin","arguments":[]}\x1e'.repeat(60);
    raw.text(
      spin +
        numbers
          .slice(0, 500)
          .map((number) => `${JSON.stringify(call('Echo', 'e', [number]))}\x1e`)
          .join(''),
    );
    raw.text(
      numbers
        .slice(500)
        .map((number) => `${JSON.stringify(call('Echo', 'e', [number]))}\x1e`)
        .join(''),
    );
    raw.ws.close();
    await expect.poll(() => reasons).toEqual(['client-stop']);
    expect(seen.filter((value) => value !== 'spin')).toEqual(numbers);
    expect(seen).toHaveLength(1_060);
  });

  test('I7 messages of one frame beyond the queue limit: parsed later, and run in order', async () => {
    const probe = counted(json);
    const opening = gate();
    const order: number[] = [];
    const slow = hub<{ Wait(value: number): void }, object>({
      path: '/hub',
      methods: {
        async Wait(_ctx, value) {
          order.push(value);
          await opening.promise;
        },
      },
    });
    const served = await serve(slow, { protocols: [probe.protocol] });
    const raw = await speak(served.url, 'counted');
    const numbers = Array.from({ length: 1_000 }, (_, number) => number);
    raw.send(...numbers.map((number) => ({ type: 1, target: 'Wait', arguments: [number] })));
    await arrived(served, socketOf(raw));
    expect(probe.reads).toBe(65);
    opening.open();
    await expect.poll(() => order).toHaveLength(1_000);
    expect(order).toEqual(numbers);
  });

  test('I9 a client that closes with too many waiting calls: disconnected after 5 s', async () => {
    const served = await serve(buildHub());
    const raw = await Raw.connect(`${served.url}/hub`);
    const calls = '{"type":1,"target":"Hang","arguments":[]}\x1e'.repeat(200);
    socketOf(raw).write(Buffer.concat([frame(calls), frame(Buffer.from([3, 232]), 0x88)]));
    expect((await raw.closed).code).toBe(1000);
    const left = served.clock.now();
    await expect
      .poll(() => {
        seconds(served, 1);
        return reasons;
      })
      .toEqual(['client-stop']);
    expect(served.clock.now() - left).toBeGreaterThanOrEqual(5_000);
    expect(only(served)?.invocations).toBe(1);
  });

  test('T2 streams that never wait: another client is served', async () => {
    const served = await serve(buildHub());
    const busy = await Promise.all(Array.from({ length: 10 }, () => Raw.connect(`${served.url}/hub`)));
    for (const raw of busy) raw.send(...Array.from({ length: 64 }, (_, id) => begin('Endless', String(id))));
    const other = await Raw.connect(`${served.url}/hub`);
    for (let count = 0; count < 20; count++) expect(await other.call('Echo', count)).toMatchObject({ result: count });
  });
});

describe('scheduler', () => {
  const spin = (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  };

  test('queued work: yields after 4 ms, and runs completely and in order', async () => {
    const scheduler = new Scheduler();
    const done: number[] = [];
    let sinceLook = 0;
    let greatest = 0;
    let isOver = false;
    const look = () => {
      greatest = Math.max(greatest, sinceLook);
      sinceLook = 0;
      if (!isOver) setTimeout(look, 0);
    };
    setTimeout(look, 0);
    await new Promise<void>((resolve) => {
      for (let index = 0; index < 100; index++)
        scheduler.schedule(() => {
          spin(2);
          sinceLook++;
          if (done.push(index) === 100) resolve();
        });
    });
    isOver = true;
    expect(done).toEqual(Array.from({ length: 100 }, (_, index) => index));
    // Two event loop iterations may pass between two timer callbacks.
    expect(greatest).toBeLessThanOrEqual(6);
  });

  test('asynchronous work: the batch size follows its cost', async () => {
    const scheduler = new Scheduler();
    const rounds: number[] = [];
    let inRound = 0;
    let isOver = false;
    const look = () => {
      if (inRound > 0) rounds.push(inRound);
      inRound = 0;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    const work = async () => {
      for (let step = 0; step < 4; step++) {
        await scheduler.nextTurn();
        spin(2);
        inRound++;
      }
    };
    await Promise.all(Array.from({ length: 60 }, work));
    isOver = true;
    expect(Math.max(...rounds.slice(2))).toBeLessThanOrEqual(3);
  });

  test('cheap work: the batch size grows', async () => {
    const scheduler = new Scheduler();
    let rounds = 0;
    let isOver = false;
    const look = () => {
      rounds++;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    await Promise.all(Array.from({ length: 10_000 }, () => scheduler.nextTurn()));
    isOver = true;
    expect(rounds).toBeLessThan(300);
  });

  test('work beyond 10 ms: over budget until the next event loop iteration', async () => {
    const scheduler = new Scheduler();
    let pieces = 0;
    while (!scheduler.shouldYield()) {
      pieces++;
      spin(0.5);
    }
    expect(pieces).toBeLessThan(48);
    expect(scheduler.shouldYield()).toBe(true);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(scheduler.shouldYield()).toBe(false);
  });
});

describe('limits of one connection', () => {
  test('G2 groups beyond the limit: joining throws, the others remain, and leaving makes room', async () => {
    const definition = buildHub({ groups: 2 });
    const { url, hubs } = await serve(definition);
    const raw = await Raw.connect(`${url}/hub`);
    for (const group of ['a', 'b', 'b']) expect(await raw.call('Join', group)).toMatchObject({ result: null });
    expect(await raw.call('Join', 'c')).toMatchObject({
      error: expect.stringContaining('HubException: A connection may be in at most 2 groups.'),
    });
    const control = hubs.of(definition);
    const id = control.connections()[0]?.connectionId ?? '';
    await expect(control.addToGroup(id, 'c')).rejects.toThrow('at most 2 groups');
    expect(await control.removeFromGroup(id, 'a')).toBe(true);
    expect(await raw.call('Join', 'c')).toMatchObject({ result: null });
    expect(control.connections()[0]?.groups).toEqual(['b', 'c']);
  });

  test('G2 groups: 1,000 by default', async () => {
    const { url, hubs } = await serve(buildHub());
    const raw = await Raw.connect(`${url}/hub`);
    raw.send(...Array.from({ length: 1_001 }, (_, group) => call('Join', String(group), [`group ${group}`])));
    for (let group = 0; group < 1_000; group++) expect(await raw.next()).toMatchObject({ result: null });
    expect(await raw.next()).toMatchObject({ error: expect.stringContaining('at most 1000 groups') });
    expect(hubs.stats().hubs['/hub']?.groups).toBe(1_000);
  });

  test('I10 calls beyond callsPerSecond: refused with an error, also streams, and accepted a second later', async () => {
    const served = await serve(buildHub({ callsPerSecond: 3 }));
    const raw = await Raw.connect(`${served.url}/hub`);
    const refused = { error: expect.stringContaining('HubException: At most 3 calls a second are allowed.') };
    for (let count = 0; count < 3; count++) expect(await raw.call('Echo', count)).toMatchObject({ result: count });
    expect(await raw.call('Echo', 4)).toMatchObject(refused);
    raw.send(begin('Endless', 's'));
    expect(await raw.next()).toMatchObject(refused);
    seconds(served, 1);
    for (let count = 0; count < 3; count++) expect(await raw.call('Echo', count)).toMatchObject({ result: count });
    raw.send({ type: 1, target: 'Echo', arguments: [1] });
    expect(await raw.next()).toEqual({ type: 7, error: 'Connection closed with an error.', allowReconnect: true });
    expect(seen).toHaveLength(6);
  });
});
