import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../core/clock.ts';
import { nextRung, Recovery, type Rung } from './recovery.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tick = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function build({ leads = true, relay = true, random = 0 } = {}) {
  const state = { canSignal: true, refresh: async () => {} };
  const done: (Rung | 'lost' | 'frozen' | 'live')[] = [];
  let checks = 0;
  const recovery: Recovery = new Recovery({
    clock: systemClock,
    random: () => random,
    leads: () => leads,
    canSignal: () => state.canSignal,
    checkSignal: () => void (checks += 1),
    hasRelay: () => relay,
    refresh: () => state.refresh(),
    attempt: (rung) => {
      done.push(rung);
      if (rung !== 'restart') recovery.begin();
    },
    onLost: (why) => done.push(why),
    onLive: () => done.push('live'),
  });
  return { recovery, done, state, checks: () => checks };
}

async function connected(options = {}) {
  const built = build(options);
  built.recovery.begin();
  built.recovery.connected();
  built.done.length = 0;
  return built;
}

test.each([
  [{ restarts: 0, rebuilds: 0 }, { restart: true, relay: true }, 'restart'],
  [{ restarts: 2, rebuilds: 0 }, { restart: true, relay: true }, 'restart'],
  [{ restarts: 3, rebuilds: 0 }, { restart: true, relay: true }, 'rebuild'],
  [{ restarts: 3, rebuilds: 1 }, { restart: false, relay: true }, 'relay'],
  [{ restarts: 3, rebuilds: 1 }, { restart: false, relay: false }, 'rebuild'],
  [{ restarts: 3, rebuilds: 2 }, { restart: false, relay: true }, 'rebuild'],
  [{ restarts: 0, rebuilds: 0 }, { restart: false, relay: true }, 'rebuild'],
] as const)('next attempt after %o, possible %o: %s', (tries, can, rung) => {
  expect(nextRung(tries, can)).toBe(rung);
});

test('interruption under a second: nothing is done, no notice', async () => {
  const { recovery, done } = await connected();
  recovery.disconnected();
  await tick(900);
  recovery.connected();
  await tick(60_000);
  expect(done).toEqual(['live']);
});

test('long failure: one notice, three restarts, then new connections with and without relay only @CONST-5', async () => {
  const { recovery, done } = await connected();
  recovery.disconnected();
  await tick(1_000);
  expect(done).toEqual(['lost', 'restart']);
  await tick(8_000);
  expect(done).toEqual(['lost', 'restart', 'restart', 'restart']);
  await tick(4_000 + 5_000 + 5_000);
  expect(done.slice(4)).toEqual(['rebuild', 'relay', 'rebuild']);
  recovery.connected();
  await tick(60_000);
  expect(done.slice(7)).toEqual(['live']);
  expect(recovery.state).toBe('connected');
});

test('hub: is checked when the connection is lost, and before each attempt', async () => {
  const { recovery, done, checks } = await connected();
  expect(checks()).toBe(0);
  recovery.disconnected();
  expect(checks()).toBe(1);
  await tick(1_000);
  expect([done, checks()]).toEqual([['lost', 'restart'], 2]);
});

test('failure: is handled immediately, but two attempts are a second apart', async () => {
  const { recovery, done } = await connected();
  recovery.failed();
  await tick(0);
  expect(done).toEqual(['lost', 'restart']);
  recovery.failed();
  await tick(900);
  expect(done).toHaveLength(2);
  await tick(100);
  expect(done).toEqual(['lost', 'restart', 'restart']);
});

test('side that follows: waits twice as long, and starts counting when the other side acts', async () => {
  const { recovery, done } = await connected({ leads: false });
  recovery.disconnected();
  await tick(1_900);
  expect(done).toEqual([]);
  // The other side has restarted ICE, and then replaced the connection.
  await tick(100);
  expect(done).toEqual(['lost', 'restart']);
  recovery.begin();
  await tick(9_900);
  recovery.progressed();
  await tick(9_900);
  expect(done).toEqual(['lost', 'restart']);
  await tick(100);
  expect(done).toEqual(['lost', 'restart', 'rebuild']);
});

test('hub back on both sides: the one that follows leaves the first offer to the other, for half a second', async () => {
  const { recovery, done } = await connected({ leads: false });
  recovery.disconnected();
  recovery.retryNow();
  await tick(400);
  recovery.progressed();
  expect(done).toEqual([]);
  await tick(7_900);
  expect(done).toEqual(['lost']);
  await tick(100);
  expect(done).toEqual(['lost', 'restart']);
  recovery.retryNow();
  await tick(499);
  expect(done).toHaveLength(2);
  await tick(1_000);
  expect(done).toEqual(['lost', 'restart', 'restart']);
});

test('other network: while the hub is away ICE is restarted when it is back; another one within ten seconds waits for its turn', async () => {
  const { recovery, done, state } = await connected();
  state.canSignal = false;
  recovery.networkChanged();
  await tick(20_000);
  expect(done).toEqual([]);
  state.canSignal = true;
  recovery.retryNow();
  await tick(0);
  expect(done).toEqual(['restart']);
  recovery.networkChanged();
  await tick(9_999);
  expect(done).toEqual(['restart']);
  await tick(1);
  expect(done).toEqual(['restart', 'restart']);
  recovery.retryNow();
  await tick(20_000);
  expect(done).toHaveLength(2);
});

test('own network is another one: does not wait for the other side’s attempt', async () => {
  const { recovery, done } = await connected({ leads: false });
  recovery.disconnected();
  recovery.progressed();
  recovery.networkChanged();
  await tick(0);
  expect(done).toEqual(['lost', 'restart']);
});

test('isBroken: is true from the loss until the repaired connection has worked for a while', async () => {
  const { recovery, done } = await connected();
  expect(recovery.isBroken).toBe(false);
  recovery.disconnected();
  expect(recovery.isBroken).toBe(true);
  recovery.connected();
  await tick(5_000);
  expect(recovery.isBroken).toBe(true);
  await tick(1);
  expect(recovery.isBroken).toBe(false);
  recovery.replace();
  // Credentials are not waited for: until then nothing could be negotiated.
  expect(done).toEqual(['live', 'lost', 'rebuild']);
  expect(recovery.isBroken).toBe(false);
});

test('jitter: adds at most a fifth', async () => {
  const { recovery, done } = await connected({ random: 1 });
  recovery.failed();
  await tick(4_700);
  expect(done).toEqual(['lost', 'restart']);
  await tick(100);
  expect(done).toEqual(['lost', 'restart', 'restart']);
});

test('no hub: waits without attempts; continues when it is back', async () => {
  const { recovery, done, state } = await connected();
  state.canSignal = false;
  recovery.failed();
  recovery.failed();
  await tick(60_000);
  expect(done).toEqual(['lost']);
  expect(recovery.state).toBe('waiting');
  state.canSignal = true;
  recovery.retryNow();
  await tick(0);
  expect(done).toEqual(['lost', 'restart']);
});

test('credentials: are renewed before the attempt; a connection that returns meanwhile is left alone', async () => {
  const { recovery, done, state } = await connected();
  const renewed = Promise.withResolvers<void>();
  state.refresh = () => renewed.promise;
  recovery.failed();
  await tick(500);
  expect(done).toEqual(['lost']);
  recovery.connected();
  renewed.resolve();
  await tick(500);
  expect(done).toEqual(['lost', 'live']);
});

test('frozen peer: one restart, then a new connection; being connected is not enough', async () => {
  const { recovery, done } = await connected();
  recovery.frozen();
  await tick(0);
  recovery.connected();
  expect(done).toEqual(['frozen', 'restart']);
  recovery.stillFrozen();
  await tick(0);
  recovery.connected();
  expect(done).toEqual(['frozen', 'restart', 'rebuild', 'live']);
  recovery.frozen();
  recovery.thawed();
  await tick(60_000);
  expect(done.slice(4)).toEqual(['frozen', 'live']);
});

test('first connection: is built again after 15 s, then tried by relay', async () => {
  const { recovery, done } = build();
  recovery.begin();
  await tick(14_900);
  expect(done).toEqual([]);
  await tick(100 + 5_000);
  expect(done).toEqual(['lost', 'rebuild', 'relay']);
});

test('end: stops everything', async () => {
  const { recovery, done } = await connected();
  recovery.failed();
  recovery.end();
  recovery.failed();
  recovery.retryNow();
  recovery.networkChanged();
  await tick(60_000);
  expect(done).toEqual(['lost']);
});
