import { HubConnectionState } from '@microsoft/signalr';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TestClock } from './support.ts';
import type { TcpProxy } from './tcp-proxy.ts';
import { kinds, type Peer, startTcpProxy, type World, world } from './world.ts';

/** Microsoft's client over a faulty network: every call completes once or rejects; messages arrive once and in order. */

const long = process.env['SIGNALR_LONG'] !== undefined;
const stateful = kinds.filter(([transport]) => transport === 'WebSockets');

interface Recorded {
  readonly numbers: number[];
  readonly answers: unknown[];
  readonly events: string[];
  rejected: number;
}

/** Records a client's messages and the outcomes of its calls. */
function record(anna: Peer): Recorded & { call(value: number): Promise<void> } {
  const recorded: Recorded = { numbers: [], answers: [], events: [], rejected: 0 };
  anna.on('Number', (value) => void recorded.numbers.push(value));
  anna.onreconnecting(() => void recorded.events.push('reconnecting'));
  anna.onreconnected(() => void recorded.events.push('reconnected'));
  anna.onclose(() => void recorded.events.push('closed'));
  const call = (value: number) =>
    anna.invoke('Echo', value).then(
      (answer) => void recorded.answers.push(answer),
      () => void recorded.rejected++,
    );
  return Object.assign(recorded, { call });
}

const connected = (anna: Peer) => expect.poll(() => anna.state).toBe(HubConnectionState.Connected);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

async function started(kind: (typeof kinds)[number], options: { stateful?: boolean; clock?: TestClock } = {}) {
  const made: World = await world(1, options.clock ? { clock: options.clock } : {});
  const proxy: TcpProxy = await startTcpProxy(made.url);
  const anna = made.connect(kind, { via: proxy.url, stateful: options.stateful ?? false });
  const recorded = record(anna);
  return { ...made, proxy, anna, recorded };
}

test.each(kinds)(
  'S10 E2 %s, %s: the TCP connection is reset repeatedly, at any byte',
  { timeout: long ? 600_000 : 60_000 },
  async (...kind) => {
    const { proxy, anna, recorded, reasons, served } = await started(kind);
    await anna.start();
    let pushed = 0;
    let asked = 0;
    const rounds = long ? 200 : 16;
    for (let round = 0; round < rounds; round++) {
      await connected(anna);
      const calls = range(5).map(() => recorded.call(asked++));
      const push = anna.invoke('PushOn', pushed, 20).catch(() => {});
      pushed += 20;
      // In the middle of a frame; immediately; between a response and the next request.
      if (round % 3 === 0) proxy.resetAfter((round * 7919) % 1_500);
      if (round % 3 === 1) proxy.reset();
      await Promise.all([...calls, push]);
      if (round % 3 === 2) proxy.reset();
    }
    proxy.resetAfter(Number.POSITIVE_INFINITY);
    await connected(anna);
    await expect.poll(() => anna.invoke('Echo', 'end').catch(() => '')).toBe('end');
    expect(recorded.answers.length + recorded.rejected).toBe(asked);
    expect(recorded.answers).toEqual([...new Set(recorded.answers)].toSorted((a, b) => Number(a) - Number(b)));
    expect(recorded.numbers).toEqual([...new Set(recorded.numbers)].toSorted((a, b) => a - b));
    expect(recorded.events).not.toContain('closed');
    expect(recorded.events.filter((event) => event === 'reconnected').length).toBeGreaterThan(0);
    // A reset poll may be repeated; the server notices the disconnect only later.
    if (kind[0] !== 'LongPolling') await expect.poll(() => served[0]?.hubs.stats().hubs['/hub']?.connections).toBe(1);
    expect(reasons.every((reason) => reason === 'lost' || reason === 'client-stop')).toBe(true);
  },
);

test.each(kinds)('H1 %s, %s: reset while connecting, after each number of bytes', async (...kind) => {
  const clock = new TestClock();
  const { proxy, anna, served } = await started(kind, { clock });
  for (let bytes = 0; bytes <= 700; bytes += long ? 10 : 70) {
    proxy.eachBytes = bytes;
    await anna.start().catch(() => {});
    if (anna.state !== HubConnectionState.Disconnected) await anna.stop();
  }
  proxy.eachBytes = Number.POSITIVE_INFINITY;
  // A keep-alive connection is reused and has some of its bytes left.
  proxy.resetAfter(Number.POSITIVE_INFINITY);
  await anna.start();
  expect(await anna.invoke('Echo', 1)).toBe(1);
  await anna.stop();
  for (let seconds = 0; seconds < 40; seconds++) clock.advance(1_000);
  const stats = () => served[0]?.hubs.stats().hubs['/hub'];
  await expect.poll(stats).toMatchObject({ connections: 0, negotiations: 0, users: 0 });
});

describe('L2 half-open TCP connections', () => {
  test.each(stateful)('%s, %s: the client times out and reconnects; its pending calls reject', async (...kind) => {
    const clock = new TestClock();
    const { proxy, anna, recorded, reasons } = await started(kind, { clock });
    anna.keepAliveIntervalInMilliseconds = 20;
    anna.serverTimeoutInMilliseconds = 3_000;
    // One second of the server's clock takes 10 ms: it pings every 150 ms.
    const stop = setInterval(() => clock.advance(1_000), 10);
    onTestFinished(() => clearInterval(stop));
    await anna.start();
    await recorded.call(1);
    proxy.freeze();
    const lost = recorded.call(2);
    await expect.poll(() => recorded.events).toContain('reconnecting');
    // The client waits 30 s for a response to its close frame. Its next connection may be there already.
    proxy.resetFrozen();
    await expect.poll(() => recorded.events).toContain('reconnected');
    await lost;
    await expect.poll(() => reasons[0]).toMatch(/timeout|lost/);
    await recorded.call(3);
    expect(recorded).toMatchObject({ answers: [1, 3], rejected: 1 });
  });

  test('the server times out the client', async () => {
    const clock = new TestClock();
    const { proxy, anna, reasons, recorded } = await started(['WebSockets', 'json'], { clock });
    anna.keepAliveIntervalInMilliseconds = 10;
    await anna.start();
    await recorded.call(1);
    // The client timeout applies from the first ping on.
    // Turns of the event loop, rather than one pause: on a busy machine the ping would not have arrived after it.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
    proxy.freeze();
    for (let seconds = 0; seconds < 31; seconds++) clock.advance(1_000);
    expect(reasons).toEqual(['timeout']);
    proxy.reset();
    await expect.poll(() => recorded.events).toContain('reconnected');
  });
});

test.each(kinds)(
  'I1 %s, %s: a slow network: all calls and messages arrive',
  { timeout: long ? 600_000 : 60_000 },
  async (...kind) => {
    const { proxy, anna, recorded, reasons } = await started(kind);
    await anna.start();
    proxy.delayMs = long ? 5_000 : 150;
    const calls = range(20).map((value) => recorded.call(value));
    await anna.invoke('PushOn', 0, 50);
    await Promise.all(calls);
    await expect.poll(() => recorded.numbers, { timeout: 60_000 }).toHaveLength(50);
    expect(recorded).toMatchObject({ numbers: range(50), answers: range(20), rejected: 0, events: [] });
    expect(reasons).toEqual([]);
    proxy.delayMs = 0;
  },
);

test.each(stateful)('S10 %s, %s: reset twice more while missed messages are repeated', async (...kind) => {
  const { proxy, anna, recorded, resumed, served } = await started(kind, { stateful: true });
  await anna.start();
  await recorded.call(0);
  const before = proxy.count;
  proxy.eachBytes = 2_000;
  proxy.resetAfter(500);
  const push = anna.invoke('PushOn', 0, 800);
  await expect.poll(() => proxy.count).toBeGreaterThanOrEqual(before + 3);
  proxy.eachBytes = Number.POSITIVE_INFINITY;
  await push;
  await expect.poll(() => recorded.numbers.length).toBe(800);
  await recorded.call(1);
  expect(recorded).toMatchObject({ numbers: range(800), answers: [0, 1], rejected: 0, events: [] });
  expect(resumed.length).toBeGreaterThanOrEqual(3);
  expect(served[0]?.hubs.stats().hubs['/hub']?.replayed).toBeGreaterThan(0);
});

test.each(stateful)(
  'S2 %s, %s: disconnected for too long: unacknowledged messages are lost, and the client is notified',
  async (...kind) => {
    const clock = new TestClock();
    const { proxy, anna, recorded, reasons, served } = await started(kind, { stateful: true, clock });
    await anna.start();
    const first = anna.connectionId;
    const streamed: string[] = [];
    anna.stream('Endless').subscribe({
      next: () => {},
      complete: () => void streamed.push('complete'),
      error: () => void streamed.push('error'),
    });
    await recorded.call(1);
    proxy.eachBytes = 0;
    proxy.reset();
    await expect.poll(() => recorded.events).toContain('reconnecting');
    // Disconnected, rather than on a connection that is about to be reset.
    await vi.waitUntil(
      () => {
        if (served[0]?.hubs.stats().hubs['/hub']?.transports.none !== 1) return false;
        for (let seconds = 0; seconds < 16; seconds++) clock.advance(1_000);
        return true;
      },
      { timeout: 30_000 },
    );
    expect(reasons).toEqual(['lost']);
    proxy.eachBytes = Number.POSITIVE_INFINITY;
    await expect.poll(() => recorded.events).toContain('reconnected');
    expect(anna.connectionId).not.toBe(first);
    await recorded.call(2);
    expect(streamed).toEqual(['error']);
    expect(recorded).toMatchObject({ answers: [1, 2], rejected: 0 });
    expect(served[0]?.hubs.stats().hubs['/hub']).toMatchObject({ connections: 1, transports: { none: 0 } });
  },
);
