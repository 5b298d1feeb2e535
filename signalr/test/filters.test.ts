import { expect, expectTypeOf, test } from 'vitest';
import { HubError, type HubFilter, hub, type Remote, type RemoteConnection, stream, upload } from '../src/index.ts';
import { gate, Raw, serve } from './support.ts';

interface Server {
  Echo(value: string): string;
  Fail(): void;
  Count(to: number): AsyncIterable<number>;
  Sum(start: number, values: AsyncIterable<number>): number;
}

interface Claims {
  readonly name: string;
}

/** Serves a hub with these filters; `notes` has what its methods and events noted. */
async function start(own: readonly HubFilter<object, Claims>[], ofServer: readonly HubFilter[] = []) {
  const notes: string[] = [];
  const ended = gate();
  const definition = hub<Server, object, Claims>({
    path: '/hub',
    authenticate: () => ({ userId: 'anna', claims: { name: 'Anna' } }),
    authorize: (_ctx, method) => method !== 'Fail' || notes.push('authorize Fail') > 0,
    filters: own,
    methods: {
      Echo(_ctx, value) {
        notes.push(`Echo ${value}`);
        return value;
      },
      Fail() {
        throw new Error('a secret');
      },
      Count: stream(async function* (_ctx, to) {
        for (let value = 0; value < to; value++) yield value;
      }),
      Sum: upload(async (_ctx, begin, values) => {
        let sum = begin;
        for await (const value of values) sum += value;
        return sum;
      }),
    },
    onConnected: () => void notes.push('connected'),
    onDisconnected(_ctx, reason) {
      notes.push(`disconnected ${reason}`);
      ended.open();
    },
  });
  const served = await serve(definition, { filters: ofServer });
  return { ...served, notes, ended: ended.promise, connect: () => Raw.connect(`${served.url}/hub`) };
}

const noting = (notes: string[], name: string): HubFilter => ({
  async invoke({ method, args }, next) {
    notes.push(`${name} before ${method} ${JSON.stringify(args)}`);
    const result = await next();
    notes.push(`${name} after ${method}`);
    return result;
  },
  async onConnected(ctx, next) {
    notes.push(`${name} before connected ${ctx.userId}`);
    await next();
    notes.push(`${name} after connected`);
  },
  async onDisconnected(_ctx, reason, next) {
    notes.push(`${name} before disconnected ${reason}`);
    await next();
    notes.push(`${name} after disconnected`);
  },
});

test('I12 E6 filters: surround methods and events, those of the server outside those of the hub', async () => {
  const seen: string[] = [];
  const { connect, notes, ended } = await start([noting(seen, 'inner')], [noting(seen, 'outer')]);
  const raw = await connect();
  expect(await raw.call('ECHO', 'x')).toMatchObject({ type: 3, result: 'x' });
  raw.send({ type: 7 });
  await ended;
  await expect.poll(() => seen.at(-1)).toBe('outer after disconnected');
  expect(seen).toEqual([
    ...['outer before connected anna', 'inner before connected anna', 'inner after connected', 'outer after connected'],
    ...['outer before Echo ["x"]', 'inner before Echo ["x"]', 'inner after Echo', 'outer after Echo'],
    ...['outer before disconnected client-stop', 'inner before disconnected client-stop'],
    ...['inner after disconnected', 'outer after disconnected'],
  ]);
  expect(notes).toEqual(['connected', 'Echo x', 'disconnected client-stop']);
});

test('I12 a filter: changes arguments and results, refuses, and translates errors; the method does not run without next', async () => {
  const filter: HubFilter<object, Claims> = {
    async invoke({ ctx, method, args }, next) {
      if (args[0] === 'stop') throw new HubError(`Not for ${ctx.claims.name}.`);
      if (args[0] === 'skip') return 'skipped';
      if (method === 'Echo') return `${await next([`${args[0]}!`])}?`;
      return next().catch((error: Error) => {
        throw new HubError(`${method} failed, ${error.message.length} letters.`);
      });
    },
  };
  const { connect, notes } = await start([filter]);
  const raw = await connect();
  expect((await raw.call('Echo', 'a')).result).toBe('a!?');
  expect((await raw.call('Echo', 'skip')).result).toBe('skipped');
  expect((await raw.call('Echo', 'stop')).error).toMatch(/HubException: Not for Anna\.$/);
  expect((await raw.call('Fail')).error).toMatch(/HubException: Fail failed, 8 letters\.$/);
  // Authorization precedes the filters.
  expect(notes).toEqual(['connected', 'Echo a!', 'authorize Fail']);
});

test('I12 a filter that throws: an error of the call, whose text is not sent', async () => {
  const { connect, logged } = await start([
    {
      invoke() {
        throw new Error('a secret');
      },
    },
  ]);
  const raw = await connect();
  expect((await raw.call('Echo', 'a')).error).toBe("An unexpected error occurred invoking 'Echo' on the server.");
  expect(logged.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('I12 streams: a filter gets and returns the stream of a method, and the streams from the client', async () => {
  const args: unknown[] = [];
  const filter: HubFilter = {
    async invoke({ method, args: given }, next) {
      args.push(...given.map((value) => (typeof value === 'object' ? 'stream' : value)));
      const result = await next();
      if (method !== 'Count') return result;
      return (async function* () {
        for await (const value of result as AsyncIterable<number>) yield value * 10;
      })();
    },
  };
  const { connect } = await start([filter]);
  const raw = await connect();
  raw.send({ type: 4, invocationId: 's', target: 'Count', arguments: [2] });
  expect([await raw.next(), await raw.next(), await raw.next()]).toEqual([
    { type: 2, invocationId: 's', item: 0 },
    { type: 2, invocationId: 's', item: 10 },
    { type: 3, invocationId: 's' },
  ]);
  raw.send(
    { type: 1, invocationId: 'u', target: 'Sum', arguments: [1], streamIds: ['up'] },
    { type: 2, invocationId: 'up', item: 2 },
    { type: 3, invocationId: 'up' },
  );
  expect(await raw.next()).toEqual({ type: 3, invocationId: 'u', result: 3 });
  expect(args).toEqual([2, 1, 'stream']);
});

test('E6 a filter refuses a connection: closed without reconnect, and no event of its end', async () => {
  const { connect, notes } = await start([
    {
      onConnected() {
        throw new HubError('Full.');
      },
    },
  ]);
  const raw = await connect();
  expect(await raw.next()).toEqual({ type: 7, error: 'Connection closed with an error. HubException: Full.' });
  await raw.closed;
  expect(notes).toEqual([]);
});

interface AnyNames {
  Said(text: string): void;
  send(text: string): void;
  then(text: string): void;
  valueOf(text: string): void;
  invoke(text: string): void;
}

test('G8 send: reaches client methods of any name, with the types without those that the receiver has', async () => {
  const definition = hub<{ All(): number }, AnyNames>({
    path: '/hub',
    methods: {
      All({ clients, connectionId }) {
        const { caller, all } = clients;
        caller.Said('typed');
        all.invoke('typed');
        for (const name of ['send', 'then', 'constructor', 'toString', '__proto__']) all.send(name, [name]);
        clients.connection(connectionId).send('invoke', ['invoke', 1]);
        return all.send('Last', []);
      },
    },
  });
  const { url } = await serve(definition);
  const raw = await Raw.connect(`${url}/hub`);
  raw.send({ type: 1, invocationId: '1', target: 'All', arguments: [] });
  const messages = [];
  for (let count = 0; count < 9; count++) messages.push(await raw.next());
  expect(messages.map(({ target, arguments: args, result }) => [target, args ?? result])).toEqual([
    ['Said', ['typed']],
    ['invoke', ['typed']],
    ...['send', 'then', 'constructor', 'toString', '__proto__'].map((name) => [name, [name]]),
    ['invoke', ['invoke', 1]],
    ['Last', []],
  ]);
  expect((await raw.next()).result).toBe(1);
  expectTypeOf<Remote<AnyNames>['send']>().toEqualTypeOf<(method: string, args: readonly unknown[]) => number>();
  expectTypeOf<keyof Remote<AnyNames>>().toEqualTypeOf<'Said' | 'invoke' | 'send'>();
  expectTypeOf<RemoteConnection<AnyNames>['invoke']>().not.toEqualTypeOf<(text: string) => number>();
});
