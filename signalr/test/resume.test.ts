import { HubConnectionState } from '@microsoft/signalr';
import { expect, test } from 'vitest';
import { type DisconnectReason, hub, stream, upload } from '../src/index.ts';
import { negotiate, type Raw, refusedUpgrade, serve, stateful } from './support.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { type Kind, type Peer, world } from './world.ts';

/** Stateful reconnect: no message is lost with a transport. */

interface Server {
  Say(text: string): void;
  Echo(value: number): number;
  Slow(): void;
  Flood(): AsyncIterable<string>;
  Late(values: AsyncIterable<number>): number;
}
interface Client {
  Said(text: string): void;
}

async function start(options: { statefulReconnect?: false; bufferBytes?: number } = {}) {
  const reasons: DisconnectReason[] = [];
  const resumed: string[] = [];
  const flood = { sent: 0 };
  const gate = Promise.withResolvers<void>();
  const definition = hub<Server, Client>({
    path: '/hub',
    statefulReconnect: options.statefulReconnect ?? {
      ...(options.bufferBytes && { bufferBytes: options.bufferBytes }),
    },
    methods: {
      Say: (ctx, text) => void ctx.clients.all.Said(text),
      Echo: (_ctx, value) => value,
      Slow: () => gate.promise,
      Flood: stream(async function* () {
        for (; ; flood.sent++) yield 'x'.repeat(1_000);
      }),
      Late: upload(async (_ctx, values) => {
        await gate.promise;
        let count = 0;
        for await (const _value of values) count++;
        return count;
      }),
    },
    onResumed: (ctx) => void resumed.push(ctx.connectionId),
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });
  const served = await serve(definition);
  const control = served.hubs.of(definition);
  return { ...served, control, reasons, resumed, flood, gate };
}

/** Resets the TCP connection, and waits until the server has noticed. */
async function dropTransport(raw: Raw, served: { sockets: Set<unknown> }): Promise<void> {
  const before = served.sockets.size;
  raw.ws.terminate();
  await expect.poll(() => served.sockets.size).toBeLessThan(before);
}

test('S1 stateful reconnect: offered only to clients that request it', async () => {
  const { url } = await start();
  expect(await negotiate(`${url}/hub`)).not.toHaveProperty('useStatefulReconnect');
  const none = await start({ statefulReconnect: false });
  const asked = await negotiate(`${none.url}/hub`, '?negotiateVersion=1&useStatefulReconnect=true');
  expect(asked).not.toHaveProperty('useStatefulReconnect');
});

test('S1 handshake version 1: a lost transport ends the connection', async () => {
  const served = await start();
  const { raw, id } = await stateful(`${served.url}/hub`, 1);
  await dropTransport(raw, served);
  expect(served.reasons).toEqual(['lost']);
  expect((await refusedUpgrade(`${served.url}/hub${id}`)).status).toBe(404);
});

test('S2 S3 S4 reconnect: unacknowledged messages are repeated in order after Sequence; acknowledged ones are not', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  for (const text of ['1', '2', '3']) served.control.all.Said(text);
  for (let count = 0; count < 3; count++) await raw.next();
  raw.send({ type: 8, sequenceId: 2 }, { type: 6 }, { type: 1, invocationId: 'a', target: 'Echo', arguments: [1] });
  expect(await raw.next()).toMatchObject({ type: 3, result: 1 });
  await dropTransport(raw, served);
  expect(served.control.all.Said('5')).toBe(1);
  expect(served.reasons).toEqual([]);
  const back = await again();
  expect(await back.next()).toEqual({ type: 9, sequenceId: 3 });
  expect(await back.next()).toMatchObject({ target: 'Said', arguments: ['3'] });
  expect(await back.next()).toMatchObject({ type: 3, invocationId: 'a' });
  expect(await back.next()).toMatchObject({ target: 'Said', arguments: ['5'] });
  expect(served.resumed).toHaveLength(1);
  back.send({ type: 9, sequenceId: 2 });
  expect(await back.call('Echo', 7)).toMatchObject({ result: 7 });
  served.clock.advance(1_000);
  expect(await back.next()).toEqual({ type: 8, sequenceId: 2 });
  served.clock.advance(5_000);
  expect(await back.call('Echo', 8)).toMatchObject({ result: 8 });
  expect(served.hubs.stats().hubs['/hub']).toMatchObject({ resumed: 1, replayed: 3, connections: 1 });
});

test('S3 a newer WebSocket: replaces one that still seems connected', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  const back = await again();
  expect(await back.next()).toEqual({ type: 9, sequenceId: 1 });
  expect((await raw.closed).code).toBe(1006);
  back.send({ type: 9, sequenceId: 1 });
  expect(await back.call('Echo', 1)).toMatchObject({ result: 1 });
  expect(served.reasons).toEqual([]);
});

test('S5 repeated calls: run once', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  const say = (text: string) => ({ type: 1, target: 'Say', arguments: [text] });
  raw.send(say('a'), say('b'));
  expect([await raw.next(), await raw.next()]).toMatchObject([{ arguments: ['a'] }, { arguments: ['b'] }]);
  await dropTransport(raw, served);
  const back = await again();
  back.send({ type: 9, sequenceId: 1 }, say('a'), say('b'), say('c'));
  expect(await back.next()).toMatchObject({ type: 9 });
  const texts = [];
  for (let count = 0; count < 3; count++) texts.push((await back.next()).arguments[0]);
  expect(texts).toEqual(['a', 'b', 'c']);
});

test('S5 missing messages of the client: Close with allowReconnect', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  await dropTransport(raw, served);
  const back = await again();
  expect(await back.next()).toMatchObject({ type: 9 });
  back.send({ type: 9, sequenceId: 5 });
  expect(await back.next()).toMatchObject({ type: 7, allowReconnect: true });
  expect(served.reasons).toEqual(['error']);
});

test('S2 after the grace period: the connection is lost, once', async () => {
  const served = await start();
  const { raw, id } = await stateful(`${served.url}/hub`);
  await dropTransport(raw, served);
  served.control.all.Said('never read');
  served.clock.advance(14_000);
  expect(served.reasons).toEqual([]);
  expect(served.hubs.stats().hubs['/hub']).toMatchObject({ transports: { none: 1, WebSockets: 0 } });
  served.clock.advance(2_000);
  expect(served.reasons).toEqual(['lost']);
  expect(served.hubs.stats().hubs['/hub']).toMatchObject({ connections: 0, dropped: 1 });
  expect((await refusedUpgrade(`${served.url}/hub${id}`)).status).toBe(404);
});

test('S6 after a close by either side: reconnecting gets 404', async () => {
  const served = await start();
  const first = await stateful(`${served.url}/hub`);
  first.raw.send({ type: 7 });
  await first.raw.closed;
  expect((await refusedUpgrade(`${served.url}/hub${first.id}`)).status).toBe(404);
  const second = await stateful(`${served.url}/hub`);
  const [open] = served.control.connections();
  served.control.close(open?.connectionId ?? '', { allowReconnect: true });
  expect((await refusedUpgrade(`${served.url}/hub${second.id}`)).status).toBe(404);
  expect(served.reasons).toEqual(['client-stop', 'closed']);
});

test('W5 after close code 1001: the client may reconnect for 2 s, because the page may have been frozen', async () => {
  const served = await start();
  const { raw, again, id } = await stateful(`${served.url}/hub`);
  raw.ws.close(1001);
  await raw.closed;
  served.clock.advance(1_500);
  served.control.all.Said('meanwhile');
  const back = await again();
  expect(await back.next()).toEqual({ type: 9, sequenceId: 1 });
  expect(await back.next()).toMatchObject({ target: 'Said', arguments: ['meanwhile'] });
  back.send({ type: 9, sequenceId: 1 });
  expect(await back.call('Echo', 7)).toMatchObject({ result: 7 });
  back.ws.close(1001);
  await back.closed;
  expect(served.reasons).toEqual([]);
  served.clock.advance(3_000);
  expect(served.reasons).toEqual(['lost']);
  expect((await refusedUpgrade(`${served.url}/hub${id}`)).status).toBe(404);
});

test('S5 a lost acknowledgement: sent again, also when only repeated messages arrive', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  await raw.call('Echo', 1);
  await raw.call('Echo', 2);
  served.clock.advance(1_000);
  expect(await raw.next()).toEqual({ type: 8, sequenceId: 2 });
  await dropTransport(raw, served);
  const back = await again();
  const calls = [1, 2].map((value) => ({ type: 1, invocationId: `${value}`, target: 'Echo', arguments: [value] }));
  back.send({ type: 9, sequenceId: 1 }, ...calls);
  for (const type of [9, 3, 3]) expect(await back.next()).toMatchObject({ type });
  const acknowledged = () => {
    served.clock.advance(1_000);
    return back.frames;
  };
  await expect.poll(acknowledged).toContain('{"type":8,"sequenceId":2}\x1e');
});

test('S7 a reconnect without Sequence: the WebSocket and its connection are dropped', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  await dropTransport(raw, served);
  const zombie = await again();
  await zombie.next();
  served.clock.advance(4_000);
  expect(served.reasons).toEqual([]);
  served.clock.advance(2_000);
  expect((await zombie.closed).code).toBe(1006);
  expect(served.reasons).toEqual(['timeout']);
});

test('S7 T6 a client that is paused by back-pressure: its Sequence is still read', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  const item = { type: 2, invocationId: 'u', item: 1 };
  raw.send({ type: 1, invocationId: 'a', target: 'Late', arguments: [], streamIds: ['u'] }, ...Array(12).fill(item));
  await expect.poll(() => [...served.sockets].some((socket) => socket.isPaused())).toBe(true);
  raw.ws.terminate();
  const back = await again();
  expect(await back.next()).toEqual({ type: 9, sequenceId: 1 });
  back.send({ type: 9, sequenceId: 14 });
  await expect.poll(() => [...served.sockets].some((socket) => socket.isPaused())).toBe(true);
  served.clock.advance(10_000);
  back.send({ type: 3, invocationId: 'u' });
  served.gate.resolve();
  let answer = await back.next();
  while (answer.type === 8) answer = await back.next();
  expect(answer).toEqual({ type: 3, invocationId: 'a', result: 12 });
  expect(served.reasons).toEqual([]);
});

test('S8 a disconnected client: streams wait; messages do not, and close it at four times the buffer', async () => {
  const served = await start({ bufferBytes: 20_000 });
  const { raw, again } = await stateful(`${served.url}/hub`);
  raw.send({ type: 4, invocationId: 's', target: 'Flood', arguments: [] });
  await raw.next();
  await dropTransport(raw, served);
  await expect
    .poll(async () => {
      const before = served.flood.sent;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return served.flood.sent - before;
    })
    .toBe(0);
  expect(served.flood.sent).toBeLessThan(40);
  const back = await again();
  const { sequenceId } = await back.next();
  back.send({ type: 9, sequenceId: 2 }, { type: 8, sequenceId: sequenceId + 15 });
  await expect.poll(() => served.flood.sent).toBeGreaterThan(sequenceId + 15);
  await dropTransport(back, served);
  while (served.reasons.length === 0) served.control.all.Said('x'.repeat(10_000));
  expect(served.reasons).toEqual(['slow']);
  expect(served.hubs.stats().hubs['/hub']).toMatchObject({ slow: 1 });
});

test('S8 a client that acknowledges late: not closed; it cannot be resumed while dropped messages are unacknowledged', async () => {
  const served = await start({ bufferBytes: 10_000 });
  const first = await stateful(`${served.url}/hub`);
  for (let count = 0; count < 100; count++) served.control.all.Said('x'.repeat(1_000));
  for (let count = 0; count < 100; count++) await first.raw.next();
  expect(served.reasons).toEqual([]);
  await dropTransport(first.raw, served);
  expect(served.reasons).toEqual(['lost']);
  expect((await refusedUpgrade(`${served.url}/hub${first.id}`)).status).toBe(404);

  const second = await stateful(`${served.url}/hub`);
  for (let count = 0; count < 100; count++) served.control.all.Said('x'.repeat(1_000));
  for (let count = 0; count < 100; count++) await second.raw.next();
  second.raw.send({ type: 8, sequenceId: 100 });
  expect(await second.raw.call('Echo', 1)).toMatchObject({ result: 1 });
  await dropTransport(second.raw, served);
  const back = await second.again();
  expect([await back.next(), await back.next()]).toMatchObject([
    { type: 9, sequenceId: 101 },
    { type: 3, result: 1 },
  ]);
  expect(served.reasons).toEqual(['lost']);
});

test('S2 a method running when the transport is lost: its result is sent on the next one', async () => {
  const served = await start();
  const { raw, again } = await stateful(`${served.url}/hub`);
  raw.send({ type: 1, invocationId: 'a', target: 'Slow', arguments: [] });
  await dropTransport(raw, served);
  served.gate.resolve();
  const back = await again();
  const messages = [await back.next(), await back.next()];
  expect(messages).toMatchObject([
    { type: 9, sequenceId: 1 },
    { type: 3, invocationId: 'a' },
  ]);
});

const stateless: readonly Kind[] = [
  ['WebSockets', 'json'],
  ['WebSockets', 'messagepack'],
];
const rounds = process.env['SIGNALR_LONG'] ? { calls: 10_000, resets: 100 } : { calls: 2_000, resets: 20 };

test.for(stateless)(
  'S10 %s, %s: calls and messages during resets: none lost, none repeated, all in order',
  { timeout: 120_000 },
  async (kind) => {
    const { connect, url, resumed, reasons } = await world();
    const proxy = await startTcpProxy(url);
    const anna: Peer = connect(kind, { stateful: true, via: proxy.url });
    const events: string[] = [];
    anna.onreconnecting(() => void events.push('reconnecting'));
    anna.onclose(() => void events.push('closed'));
    const numbers: number[] = [];
    anna.on('Number', (value) => void numbers.push(value));
    await anna.start();
    const id = anna.connectionId;
    const answers: unknown[] = [];
    const callsPerReset = rounds.calls / rounds.resets;
    const call = async (value: number) => {
      answers.push(await anna.invoke('Echo', value));
    };
    let pushed = 0;
    for (let reset = 0; reset < rounds.resets; reset++) {
      const calls = Array.from({ length: callsPerReset }, (_, index) => call(reset * callsPerReset + index));
      await anna.send('PushOn', pushed, callsPerReset);
      pushed += callsPerReset;
      // Alternately in the middle of the server's messages and immediately.
      if (reset % 2 === 0) proxy.resetAfter(20 + ((reset * 7919) % 4_000));
      else proxy.reset();
      await Promise.all(calls);
      // One reset per round, and none while the client reconnects: it tries that only once.
      proxy.resetAfter(Number.POSITIVE_INFINITY);
      if (proxy.resets === reset) proxy.reset();
      await expect.poll(() => resumed.length, { interval: 5 }).toBe(reset + 1);
      await anna.invoke('Nothing');
    }
    await expect.poll(() => numbers.length).toBe(rounds.calls);
    const all = Array.from({ length: rounds.calls }, (_, index) => index);
    expect(answers).toEqual(all);
    expect(numbers).toEqual(all);
    expect(events).toEqual([]);
    expect(anna.state).toBe(HubConnectionState.Connected);
    expect(anna.connectionId).toBe(id);
    expect(resumed).toHaveLength(rounds.resets);
    expect(reasons).toEqual([]);
  },
);
