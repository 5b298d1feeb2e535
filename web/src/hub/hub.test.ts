import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toast, toastQueue } from '../ui/toast.ts';
import { retryDelay } from './connect.ts';
import { type Connection, HubClient } from './hub.ts';

/** A SignalR client that the test controls. */
function line() {
  const calls: string[] = [];
  const events: Record<string, (...args: never[]) => void> = {};
  let failing = 0;
  let loads = 0;
  let isDead = false;
  const connection: Connection = {
    start: async () => {
      calls.push('start');
      if (failing-- > 0) throw new Error('no connection');
    },
    stop: async () => void calls.push('stop'),
    invoke: async <T>(method: string, ...args: unknown[]) => {
      calls.push([method, ...args].join(' '));
      if (isDead) await new Promise(() => undefined);
      return [] as T;
    },
    on: (name: string, handler: (...args: never[]) => void) => {
      events[name] = handler;
    },
    onreconnecting: (handler) => {
      events.reconnecting = handler;
    },
    onreconnected: (handler) => {
      events.reconnected = handler;
    },
    drop: () => calls.push('drop') > 0,
    onclose: (handler) => {
      events.close = handler;
    },
  };
  return {
    connection,
    calls,
    fire: (name: string, value?: unknown) => events[name]?.(...([value] as never[])),
    fail: (times: number, what: 'start' | 'load' = 'start') => {
      if (what === 'load') loads = times;
      else failing = times;
    },
    die: () => {
      isDead = true;
    },
    load: () => {
      if (loads-- > 0) throw new TypeError('Failed to fetch dynamically imported module');
    },
  };
}

function setUp(options: { inVisit?: boolean; failures?: number } = {}) {
  const wire = line();
  wire.fail(options.failures ?? 0);
  const offline = vi.fn();
  const network = { reaches: true, looks: 0 };
  const signIn: { token: string | undefined } = { token: 'token' };
  /** The token that the client asks for with each request. */
  let ask = (): Promise<string> => Promise.reject(new Error('Not connected.'));
  const hub = new HubClient({
    connect: async (token) => {
      wire.load();
      ask = token;
      return wire.connection;
    },
    token: async () => signIn.token,
    isSignedIn: () => true,
    isReachable: async () => {
      network.looks += 1;
      return network.reaches;
    },
    inVisit: () => options.inVisit ?? false,
  });
  hub.onOffline(offline);
  return { ...wire, hub, offline, network, signIn, ask: () => ask() };
}

async function setUpConnected() {
  const made = setUp();
  made.hub.start();
  await vi.advanceTimersByTimeAsync(0);
  return made;
}

const said = () => toastQueue.get().map(({ text }) => text);

beforeEach(() => {
  vi.useFakeTimers();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});
afterEach(() => void vi.useRealTimers());

test('reconnect delays: are 1 s ten times, 2 s ten times, then 5 s @CONST-8', () => {
  expect([0, 9, 10, 19, 20, 1000].map(retryDelay)).toEqual([1000, 1000, 2000, 2000, 5000, 5000]);
});

test('broken connection: shows states and notices until it is back @STATE-8', async () => {
  const { hub, calls, fire } = setUp();
  const seen = [hub.getState().status];
  hub.onState(() => seen.push(hub.getState().status));
  hub.start();
  await vi.advanceTimersByTimeAsync(0);
  fire('reconnecting');
  expect(said()).toEqual(['Your connection is unstable. Trying to reconnect...']);
  fire('reconnected');
  await vi.advanceTimersByTimeAsync(0);
  expect(said()).toEqual(['The connection has been re-established.']);
  await hub.stop();
  expect(calls).toEqual(['start', 'stop']);
  expect(seen).toEqual([
    'disconnected',
    'connecting',
    'connected',
    'reconnecting',
    'connected',
    'disconnecting',
    'disconnected',
  ]);
});

test('person who signs out while it connects: no request is sent without a token', async () => {
  const { ask, signIn } = await setUpConnected();
  expect(await ask()).toBe('token');
  signIn.token = undefined;
  await expect(ask()).rejects.toThrow('Not signed in.');
});

test('start that is stopped in the same moment: opens no connection', async () => {
  const { hub, calls } = await setUpConnected();
  await hub.stop();
  hub.start();
  await hub.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual(['start', 'stop', 'stop']);
  expect(hub.getState().status).toBe('disconnected');
});

describe('check', () => {
  test('connection that responds: is kept', async () => {
    const { hub, calls } = await setUpConnected();
    void hub.check();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual(['start', 'Ping']);
  });

  test('connection that does not respond within 2 s: is dropped, after one ping at a time', async () => {
    const { hub, calls, die } = await setUpConnected();
    die();
    void hub.check();
    void hub.check();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(calls).toEqual(['start', 'Ping']);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual(['start', 'Ping', 'drop']);
  });

  test('connection that is known to be broken: is left to the client', async () => {
    const { hub, calls, die, fire } = setUp();
    await hub.check();
    hub.start();
    await vi.advanceTimersByTimeAsync(0);
    die();
    void hub.check();
    fire('reconnecting');
    void hub.check();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual(['start', 'Ping']);
  });
});

describe('leaveFormerNetwork', () => {
  test('together with a check: the connection is dropped once', async () => {
    const { hub, calls, die, network } = await setUpConnected();
    die();
    network.reaches = false;
    const left = hub.leaveFormerNetwork(() => true);
    void hub.check();
    await vi.advanceTimersByTimeAsync(2_000);
    network.reaches = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await left).toBe(false);
    expect(calls.filter((call) => call === 'drop')).toHaveLength(1);
  });

  test('connection that responds: is kept', async () => {
    const { hub, calls } = await setUpConnected();
    const left = hub.leaveFormerNetwork(() => true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await left).toBe(false);
    expect(calls).toEqual(['start', 'Ping']);
  });

  test('connection that does not respond while the server does: is dropped', async () => {
    const { hub, calls, die } = await setUpConnected();
    die();
    const left = hub.leaveFormerNetwork(() => true);
    await vi.advanceTimersByTimeAsync(400);
    expect(await left).toBe(true);
    expect(calls).toEqual(['start', 'Ping', 'drop']);
  });

  test('device without any network: waits for one, and leaves the connection alone', async () => {
    const { hub, calls, die, network } = await setUpConnected();
    die();
    network.reaches = false;
    const left = hub.leaveFormerNetwork(() => true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual(['start', 'Ping']);
    expect(network.looks).toBeGreaterThan(10);
    network.reaches = true;
    await vi.advanceTimersByTimeAsync(900);
    expect(await left).toBe(true);
  });

  test.each(['no longer wanted', 'broken'])('connection that is %s: is left to others', async (why) => {
    const { hub, calls, die, network, fire } = setUp();
    let isWanted = true;
    hub.start();
    await vi.advanceTimersByTimeAsync(0);
    die();
    network.reaches = false;
    const left = hub.leaveFormerNetwork(() => isWanted);
    await vi.advanceTimersByTimeAsync(1_000);
    if (why === 'broken') fire('reconnecting');
    else isWanted = false;
    network.reaches = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await left).toBe(false);
    expect(calls).toEqual(['start', 'Ping']);
  });
});

describe('failing first start', () => {
  test('shows a notice immediately, and leads to /offline after the third failure', async () => {
    const { hub, offline, calls } = setUp({ failures: 99 });
    hub.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(said()).toEqual(['Cannot connect to the messaging hub.']);
    expect(offline).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(offline).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls).toEqual(['start', 'start', 'start']);
  });

  test('failing start during a visit: stays on the page, and connects later', async () => {
    const { hub, offline } = setUp({ failures: 5, inVisit: true });
    hub.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(offline).not.toHaveBeenCalled();
    expect(hub.getState().status).toBe('connected');
  });

  test('failing load of the hub’s code: is tried again like a failed start', async () => {
    const { hub, fail } = setUp({ inVisit: true });
    fail(2, 'load');
    hub.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(said()).toEqual(['Cannot connect to the messaging hub.']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(hub.getState().status).toBe('connected');
  });

  test('is restarted by /offline', async () => {
    const { hub } = setUp({ failures: 3 });
    hub.start();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(hub.getState().status).toBe('disconnected');
    hub.restart();
    await vi.advanceTimersByTimeAsync(0);
    expect(hub.getState().status).toBe('connected');
  });
});

test('two stops with a start between them: the hub ends disconnected; a start after them connects', async () => {
  const { hub, connection, calls } = setUp();
  hub.start();
  await vi.advanceTimersByTimeAsync(0);
  const goodbyes: (() => void)[] = [];
  connection.stop = () => new Promise((done) => goodbyes.push(done));
  const first = hub.stop();
  hub.start();
  const second = hub.stop();
  for (const done of goodbyes) done();
  await Promise.all([first, second]);
  expect(hub.getState().status).toBe('disconnected');
  hub.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(hub.getState().status).toBe('connected');
  expect(calls).toEqual(['start', 'start']);
});
