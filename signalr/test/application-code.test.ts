import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createHubServer,
  HubError,
  hub,
  type Message,
  memory,
  type Protocol,
  ProtocolError,
  type StandardSchema,
  stream,
} from '../src/index.ts';
import { json } from '../src/protocol/json.ts';
import { negotiate, Raw, refusedUpgrade, serve } from './support.ts';
import { begin, call, cancel } from './support-streams.ts';

/** Errors and unusual return values of the application's functions do not end the process or affect other clients. */

const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);
beforeEach(() => {
  uncaught.length = 0;
  process.on('uncaughtException', note).on('unhandledRejection', note);
});
afterEach(async () => {
  await new Promise(setImmediate);
  process.off('uncaughtException', note).off('unhandledRejection', note);
  // oxlint-disable-next-line vitest/no-standalone-expect -- Applies to every test of this file.
  expect(uncaught).toEqual([]);
});

interface Server {
  Echo(value: unknown): unknown;
  Items(kind: string): AsyncIterable<number>;
  Listen(): void;
  Thenable(kind: string): unknown;
  Checked(one: string, two: string): string;
  Circular(): unknown;
}
interface Client {
  Said(value: unknown): void;
}

/** Hand-written iterators: each yields 1 and then waits for its end. */
const returns: Record<string, (() => unknown) | undefined> = {
  nothing: () => undefined,
  value: () => ({ done: true, value: undefined }),
  throws: () => {
    throw new Error('return failed');
  },
  rejects: () => Promise.reject(new Error('return failed')),
  thenable: () => ({
    // oxlint-disable-next-line unicorn/no-thenable -- Applications have such objects.
    then() {
      throw new Error('then failed');
    },
  }),
  getter: () =>
    // oxlint-disable-next-line unicorn/no-thenable -- As above.
    Object.defineProperty({}, 'then', {
      get() {
        throw new Error('no then');
      },
    }),
  absent: undefined,
};

function handWritten(kind: string): AsyncIterable<number> {
  let step = 0;
  const next = () => (step++ === 0 ? Promise.resolve({ done: false, value: 1 }) : new Promise(() => {}));
  const iterator = { next, ...(returns[kind] && { return: returns[kind] }) };
  return { [Symbol.asyncIterator]: () => iterator as AsyncIterator<number> };
}

// oxlint-disable unicorn/no-thenable
const thenables: Record<string, unknown> = {
  query: { then: (done: (value: string) => void) => done('rows') },
  twice: {
    // oxlint-disable-next-line promise/catch-or-return
    then(done: (value: string) => void, failed: (error: Error) => void) {
      done('first');
      failed(new Error('second'));
      throw new Error('third');
    },
  },
  fails: {
    then() {
      throw new HubError('Not now.');
    },
  },
};
// oxlint-enable unicorn/no-thenable

const refusedLater: StandardSchema<string> = {
  '~standard': { version: 1, vendor: 'test', validate: async () => ({ issues: [{ message: 'late' }] }) },
};
const throws: StandardSchema<string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate() {
      throw new Error('schema failed');
    },
  },
};

const definition = hub<Server, Client>({
  path: '/hub',
  input: { Checked: [refusedLater, throws] },
  methods: {
    Echo: (_ctx, value) => value,
    Items: stream((_ctx, kind) => handWritten(kind)),
    Listen(ctx) {
      ctx.signal.addEventListener('abort', () => {
        throw new Error('listener failed');
      });
      // oxlint-disable-next-line typescript/no-misused-promises -- The mistake under test.
      ctx.signal.addEventListener('abort', () => Promise.reject(new Error('listener rejected')));
    },
    Thenable: (_ctx, kind) => thenables[kind],
    Checked: (_ctx, one) => one,
    Circular: () => {
      const value: { self?: unknown } = {};
      value.self = value;
      return value;
    },
  },
});

describe('T3 T8 a hand-written iterator', () => {
  test.each(Object.keys(returns))(
    'an iterator whose return() returns or throws %s: the server continues after a cancellation and a disconnect',
    async (kind) => {
      const { url, hubs } = await serve(definition);
      const raw = await Raw.connect(`${url}/hub`);
      raw.send(begin('Items', 's', [kind]));
      expect(await raw.next()).toEqual({ type: 2, invocationId: 's', item: 1 });
      raw.send(cancel('s'));
      expect(await raw.next()).toEqual({ type: 3, invocationId: 's' });
      raw.send(begin('Items', 't', [kind]));
      await raw.next();
      raw.ws.terminate();
      await expect.poll(() => hubs.stats().hubs['/hub']?.connections).toBe(0);
      const other = await Raw.connect(`${url}/hub`);
      expect(await other.call('Echo', 1)).toMatchObject({ result: 1 });
    },
  );
});

test('T8 listeners of an abort signal that throw or reject are logged', async () => {
  const { url, logged } = await serve(definition);
  const raw = await Raw.connect(`${url}/hub`);
  await raw.call('Listen');
  raw.ws.terminate();
  await expect
    .poll(() =>
      logged.filter(({ level }) => level === 'error').map(({ details }) => String((details as { err: unknown }).err)),
    )
    .toEqual(['Error: listener failed', 'Error: listener rejected']);
});

test('I1 I5 a method that returns a thenable: one completion, with the resolved value', async () => {
  const { url } = await serve(definition);
  const raw = await Raw.connect(`${url}/hub`);
  expect(await raw.call('Thenable', 'query')).toEqual({ type: 3, invocationId: '1', result: 'rows' });
  expect(await raw.call('Thenable', 'twice')).toEqual({ type: 3, invocationId: '2', result: 'first' });
  expect(await raw.call('Thenable', 'fails')).toMatchObject({ error: expect.stringContaining('Not now.') });
  expect(await raw.call('Echo', 1)).toMatchObject({ invocationId: '4', result: 1 });
});

test('I4 an async schema rejects while another one throws: one error and no unhandled rejection', async () => {
  const { url } = await serve(definition);
  const raw = await Raw.connect(`${url}/hub`);
  expect(await raw.call('Checked', 'a', 'b')).toMatchObject({ invocationId: '1', error: expect.any(String) });
  expect(await raw.call('Echo', 1)).toMatchObject({ invocationId: '2', result: 1 });
});

test('I5 a result that cannot be encoded: an error of its call', async () => {
  const { url } = await serve(definition);
  const raw = await Raw.connect(`${url}/hub`);
  expect(await raw.call('Circular')).toMatchObject({ invocationId: '1', error: expect.any(String) });
  expect(await raw.call('Echo', 1)).toMatchObject({ invocationId: '2', result: 1 });
});

test.each(['sync', 'async'])('E2 event handlers that throw (%s): logged, and the connection continues', async (how) => {
  const fail = () => {
    if (how === 'async') return Promise.reject(new Error('event failed'));
    throw new Error('event failed');
  };
  const eventful = hub<object, object>({ path: '/hub', methods: {}, onDisconnected: fail, onBroadcast: fail });
  const { url, hubs, logged } = await serve(eventful);
  const raw = await Raw.connect(`${url}/hub`);
  hubs.of(eventful).broadcast('x');
  raw.ws.close();
  await expect
    .poll(() => logged.map(({ message }) => message))
    .toEqual(['onBroadcast failed', 'onDisconnected failed']);
});

test.each([
  ['authenticate', { authenticate: () => Promise.reject(new Error('no database')) }],
  ['transports', { transports: () => 7 as never }],
  [
    'redirect without JSON',
    {
      redirect: () => {
        const loop: Record<string, unknown> = {};
        loop['loop'] = loop;
        return loop as never;
      },
    },
  ],
])('A2 %s that fails: 500, and no connection is created', async (_name, more) => {
  const { url, hubs } = await serve(hub<object, object>({ path: '/hub', methods: {}, ...more }));
  expect((await fetch(`${url}/hub/negotiate?negotiateVersion=1`, { method: 'POST' })).status).toBe(500);
  expect(hubs.stats().hubs['/hub']?.negotiations).toBe(0);
});

test('E1 identity throws: closes only this connection', async () => {
  const picky = hub<{ Echo(value: unknown): unknown }, object>({
    path: '/hub',
    identity(ctx) {
      if (ctx.query.has('bad')) throw new Error('identity failed');
      return undefined;
    },
    methods: { Echo: (_ctx, value) => value },
  });
  const { url } = await serve(picky);
  const bad = await Raw.connect(`${url}/hub`, { query: '?bad=1' });
  expect((await bad.closed).code).toBe(1000);
  const good = await Raw.connect(`${url}/hub`);
  expect(await good.call('Echo', 1)).toMatchObject({ result: 1 });
});

test.each(['throws', 'rejects'])('O3 a logger that %s: ignored', async (how) => {
  const write = () => {
    if (how === 'rejects') return Promise.reject(new Error('disk full')) as never;
    throw new Error('disk full');
  };
  const logger = { debug: write, info: write, warn: write, error: write };
  const { url } = await serve(definition, { logger });
  const raw = await Raw.connect(`${url}/hub`);
  expect(await raw.call('Circular')).toMatchObject({ error: expect.any(String) });
  raw.send(begin('Items', 's', [{}]));
  expect(await raw.next()).toMatchObject({ type: 2 });
  expect(await raw.call('Echo', 1)).toMatchObject({ result: 1 });
});

describe('a protocol of the application', () => {
  /** JSON with the faults that a test configures. */
  function broken(what: { read?: (text: string) => void; write?: (message: Message) => unknown }): Protocol {
    return {
      name: 'Broken',
      binary: false,
      read(data, offset, limit) {
        what.read?.(data.toString('utf8', offset));
        return json.read(data, offset, limit);
      },
      write: (message) => (what.write?.(message) as string | undefined) ?? json.write(message),
    };
  }
  const shake = { protocol: 'broken', version: 1 };
  const start = async (protocol: Protocol, detailedErrors = false) => {
    const served = await serve(definition, { protocols: [protocol], detailedErrors });
    const raw = await Raw.connect(`${served.url}/hub`, { handshake: false });
    raw.send(shake);
    await raw.next();
    const other = await Raw.connect(`${served.url}/hub`);
    const isServed = async () => expect(await other.call('Echo', 1)).toMatchObject({ result: 1 });
    return { ...served, raw, other, isServed };
  };

  test.each([
    [
      'a ProtocolError',
      new ProtocolError('not like this'),
      'protocol violated',
      ' InvalidDataException: not like this',
    ],
    ['another error', new TypeError('a fault'), 'protocol failed', ' TypeError: a fault'],
    ['no error at all', 'text', 'protocol failed', ''],
  ])('M2 read that throws %s: closes only this connection', async (_name, thrown, message, detail) => {
    const protocol = broken({
      read(text) {
        if (text.includes('"bad"')) throw thrown;
      },
    });
    const { raw, logged, hubs, isServed } = await start(protocol, true);
    raw.send(call('Echo', '1', ['bad']));
    const error = `Connection closed with an error.${detail}`;
    expect(await raw.next()).toEqual({ type: 7, error, allowReconnect: true });
    expect(logged.map((line) => line.message)).toEqual([message]);
    expect(hubs.stats().hubs['/hub']?.protocolErrors).toBe(1);
    await isServed();
  });

  test.each([
    ['does not advance', (offset: number) => offset],
    ['exceeds the data', () => 1e9],
    ['is not a number', () => Number.NaN],
  ])('M2 read that %s: closes only this connection', async (_name, next) => {
    const endless: Protocol = {
      ...broken({}),
      read: (_data, offset) => ({ message: { type: 6 }, bytes: 1, next: next(offset) }),
    };
    const { raw, isServed } = await start(endless);
    raw.send({ type: 6 });
    expect(await raw.next()).toMatchObject({ type: 7 });
    await isServed();
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('a fault');
      },
    ],
    ['returns a number', () => 7],
  ])(
    'M2 write that %s, for messages, completions, pings, streams and Close: affects only this protocol',
    async (_name, fault) => {
      let failing = false;
      const { raw, other, hubs, clock, isServed } = await start(
        broken({ write: () => (failing ? fault() : undefined) }),
      );
      failing = true;
      expect(() => hubs.of(definition).all.Said('x')).toThrow(/fault|size/);
      // The other receivers get the message.
      expect(await other.next()).toMatchObject({ target: 'Said' });
      clock.advance(16_000);
      raw.send(begin('Items', 's', ['nothing']));
      await raw.closed;
      await other.next();
      await isServed();
      const again = await Raw.connect(raw.ws.url.replace('ws', 'http'), { handshake: false });
      again.send(shake);
      await again.next();
      again.send(call('Echo', '1', [1]));
      await again.closed;
      await isServed();
    },
  );
});

test('G5 a backplane that throws: local delivery continues', async () => {
  const inner = memory();
  const fail = () => {
    throw new Error('backplane failed');
  };
  const faulty = {
    ...inner,
    connect: (...args: Parameters<typeof inner.connect>) => ({
      ...inner.connect(...args),
      alone: false,
      publish: fail,
      subscribe: fail,
      unsubscribe: fail,
    }),
  };
  const users = hub<{ Echo(value: unknown): unknown }, Client>({
    path: '/hub',
    authenticate: () => ({ userId: 'anna', claims: null }),
    methods: { Echo: (_ctx, value) => value },
  });
  const { url, hubs } = await serve(users, { backplane: faulty });
  const raw = await Raw.connect(`${url}/hub`);
  expect(hubs.of(users).all.Said('x')).toBe(1);
  await raw.next();
  expect(await raw.call('Echo', 1)).toMatchObject({ result: 1 });
  raw.ws.terminate();
  await expect.poll(() => hubs.stats().hubs['/hub']).toMatchObject({ connections: 0, users: 0 });
});

describe('logging', () => {
  test('a hub without a logger: an exception in a method is written to the console', async () => {
    const seen = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const failing = hub<{ Fail(): void }, object>({
        path: '/hub',
        methods: {
          Fail() {
            throw new Error('my bug');
          },
        },
      });
      const { url } = await serve(failing, { logger: undefined as never });
      const raw = await Raw.connect(`${url}/hub`);
      await raw.call('Fail');
      expect(seen).toHaveBeenCalledWith(
        'signalr: hub method failed',
        expect.objectContaining({ err: expect.objectContaining({ message: 'my bug' }) }),
      );
    } finally {
      seen.mockRestore();
    }
  });

  test('O3 a repeated error: ten entries a second, then only the number', async () => {
    const failing = hub<{ Fail(): void; Other(): void }, object>({
      path: '/hub',
      methods: {
        Fail() {
          throw new Error('my bug');
        },
        Other() {
          throw new Error('another bug');
        },
      },
    });
    const { url, logged, clock } = await serve(failing);
    const raw = await Raw.connect(`${url}/hub`);
    raw.text('{"type":1,"target":"Fail","arguments":[]}\x1e{"type":1,"target":"FAIL","arguments":[]}\x1e'.repeat(500));
    await raw.call('Other');
    const errors = () => logged.filter(({ level }) => level === 'error').map(({ details }) => details);
    expect(errors()).toHaveLength(11);
    clock.advance(1_000);
    expect(errors()[11]).toEqual({ target: 'fail', suppressed: 990 });
    clock.advance(1_000);
    await raw.call('Fail');
    expect(errors()).toHaveLength(13);
  });
});

test('I5 an error whose message cannot be read: an error of its call', async () => {
  const odd = hub<{ Fail(how: string): unknown; Echo(value: unknown): unknown }, object>({
    path: '/hub',
    methods: {
      async Fail(_ctx, how) {
        const error = how === 'hub' ? new HubError('x') : new Error('x');
        throw Object.defineProperty(error, 'message', {
          get() {
            throw new Error('no message');
          },
        });
      },
      Echo: (_ctx, value) => value,
    },
  });
  const { url } = await serve(odd, { detailedErrors: true });
  const raw = await Raw.connect(`${url}/hub`);
  for (const how of ['hub', 'other']) expect(await raw.call('Fail', how)).toMatchObject({ error: expect.any(String) });
  expect(await raw.call('Echo', 1)).toMatchObject({ result: 1 });
});

test('A2 a clientAddress that throws: 500 for negotiation and upgrade', async () => {
  const { url, hubs } = await serve(definition, {
    clientAddress() {
      throw new Error('no address');
    },
  });
  expect((await fetch(`${url}/hub/negotiate`, { method: 'POST' })).status).toBe(500);
  expect((await refusedUpgrade(`${url}/hub`)).status).toBe(500);
  expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 0, negotiations: 0 });
});

test('protocol names are case-insensitive', () => {
  const protocol: Protocol = { ...json, name: 'Mine' };
  expect(() => createHubServer({ hubs: [], protocols: [protocol] }).close()).not.toThrow();
});

test('N1 a protocol of the application: its name is case-insensitive in the handshake', async () => {
  const { url } = await serve(definition, { protocols: [{ ...json, name: 'Mine' }] });
  await negotiate(`${url}/hub`);
  const raw = await Raw.connect(`${url}/hub`, { handshake: false });
  raw.send({ protocol: 'MINE', version: 1 });
  expect(await raw.next()).toEqual({});
});
