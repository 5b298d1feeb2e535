import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  type BytesMeasurement,
  type ConnectionMeasurement,
  hub,
  type InvocationMeasurement,
  stream,
} from '../src/index.ts';
import { gate, negotiate, Raw, serve } from './support.ts';

interface Server {
  Echo(text: string): string;
  Fail(): void;
  Wait(): void;
  Count(to: number): AsyncIterable<number>;
  Unsendable(): unknown;
}

async function start() {
  const waiting = gate();
  const definition = hub<Server, object>({
    path: '/measured',
    methods: {
      Echo: (_ctx, text) => text,
      Fail() {
        throw new Error('no');
      },
      Wait: () => waiting.promise,
      Count: stream(async function* (_ctx, to) {
        for (let value = 0; value < to; value++) yield value;
      }),
      Unsendable: () => 1n,
    },
  });
  const served = await serve(definition);
  /** Resolves when this number of calls have begun. */
  const running = (count: number) => expect.poll(() => served.hubs.stats().hubs['/measured']?.invocations).toBe(count);
  return { ...served, waiting, running, connect: () => Raw.connect(`${served.url}/measured`) };
}

/** Collects a channel's messages until the test ends. */
function collect<T>(name: string): T[] {
  const messages: T[] = [];
  const onMessage = (message: unknown) => void messages.push(message as T);
  subscribe(name, onMessage);
  onTestFinished(() => void unsubscribe(name, onMessage));
  return messages;
}

test('O7 calls: are measured with method, duration and whether they failed, without the time in the queue', async () => {
  const { connect, waiting, running } = await start();
  const [raw, other] = [await connect(), await connect()];
  const all = collect<InvocationMeasurement>('signalr:invocation');
  await raw.call('echo', 'x');
  await raw.call('Fail');
  await raw.call('Unsendable');
  await raw.call('Missing'.repeat(50));
  raw.send({ type: 4, invocationId: 's', target: 'Count', arguments: [2] });
  for (let count = 0; count < 3; count++) await raw.next();
  const slow = raw.call('Wait');
  // Behind the one that waits.
  raw.send({ type: 1, target: 'Echo', arguments: ['quick'] });
  await running(6);
  const before = performance.now();
  for (let count = 0; count < 20; count++) {
    await other.call('Echo', 'meanwhile');
    // Together longer than the machine may hold a call that does not wait.
    await pause(10);
  }
  const waitedMs = performance.now() - before;
  waiting.open();
  await slow;
  await running(27);
  const [first] = all;
  const measured = all.filter(({ connectionId }) => connectionId === first?.connectionId);
  expect(measured.map(({ method, isStream, failed }) => [method, isStream, failed])).toEqual([
    ['Echo', false, false],
    ['Fail', false, true],
    ['Unsendable', false, true],
    [undefined, false, true],
    ['Count', true, false],
    ['Wait', false, false],
    ['Echo', false, false],
  ]);
  expect(all.every((one) => one.hub === '/measured')).toBe(true);
  expect(measured[5]?.durationMs).toBeGreaterThan(waitedMs);
  expect(measured[6]?.durationMs).toBeLessThan(waitedMs);
});

test('O7 without a subscriber: a call that has begun is not measured', async () => {
  const { connect, waiting, running } = await start();
  const raw = await connect();
  expect(channel('signalr:invocation').hasSubscribers).toBe(false);
  const slow = raw.call('Wait');
  await running(1);
  const measured = collect<InvocationMeasurement>('signalr:invocation');
  waiting.open();
  await slow;
  expect(measured).toEqual([]);
});

test('O7 bytes: are measured for messages in both directions, with their transport', async () => {
  const { connect, url } = await start();
  const received = collect<BytesMeasurement>('signalr:received');
  const sent = collect<BytesMeasurement>('signalr:sent');
  const raw = await connect();
  await raw.call('Echo', 'é');
  const call = { type: 1, invocationId: '1', target: 'Echo', arguments: ['é'] };
  const handshake = { protocol: 'json', version: 1 };
  const size = (message: object) => Buffer.byteLength(JSON.stringify(message)) + 1;
  expect(received.map(({ transport, bytes }) => [transport, bytes])).toEqual([
    ['WebSockets', size(handshake)],
    ['WebSockets', size(call)],
  ]);
  expect(sent.map(({ transport, bytes }) => [transport, bytes])).toEqual([
    ['WebSockets', 3],
    ['WebSockets', size({ type: 3, invocationId: '1', result: 'é' })],
  ]);
  const { connectionToken } = await negotiate(`${url}/measured`);
  const poll = `${url}/measured?id=${connectionToken}`;
  await fetch(poll);
  await fetch(poll, { method: 'POST', body: `${JSON.stringify(handshake)}\x1e` });
  await fetch(poll);
  expect([received.at(-1), sent.at(-1)]).toMatchObject([
    { hub: '/measured', transport: 'LongPolling', bytes: size(handshake) },
    { hub: '/measured', transport: 'LongPolling', bytes: 3 },
  ]);
});

test('O7 connections: are measured at their end, with reason and duration', async () => {
  const { connect, clock } = await start();
  const ended = collect<ConnectionMeasurement>('signalr:disconnected');
  const raw = await connect();
  clock.advance(2_500);
  raw.send({ type: 7 });
  await raw.closed;
  expect(ended).toMatchObject([
    { hub: '/measured', transport: 'WebSockets', reason: 'client-stop', durationMs: 2_500 },
  ]);
});
