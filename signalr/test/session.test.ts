import { once } from 'node:events';
import { expect, test } from 'vitest';
import { type DisconnectReason, hub, memory } from '../src/index.ts';
import { gate, negotiate, Raw, serve } from './support.ts';

interface Server {
  Join(group: string): void;
  Leave(group: string): void;
  Groups(): string[];
  Say(to: string, text: string, name: string): number;
  Hang(): void;
  Leak(): void;
  Quit(): void;
}

interface Client {
  Said(text: string): void;
}

type Ending = readonly [userId: string | undefined, reason: DisconnectReason];

function buildHub() {
  const endings: Ending[] = [];
  const waiting: ((ending: Ending) => void)[] = [];
  const aborted: string[] = [];
  const hanging = gate();
  const definition = hub<Server, Client, { readonly name: string }>({
    path: '/hub',
    authenticate: ({ token = '' }) => {
      const [userId, expiresAt] = token.split('@');
      return { userId, claims: { name: `${userId}!` }, expiresAt: expiresAt ? Number(expiresAt) : undefined };
    },
    identity: (ctx) => ctx.query.get('peer') ?? undefined,
    closeOnAuthExpiration: true,
    limits: { bufferedBytes: 100_000 },
    methods: {
      Join: async (ctx, group) => ctx.groups.add(group),
      Leave: async (ctx, group) => ctx.groups.remove(group),
      Groups: (ctx) => ctx.groups.names(),
      Say(ctx, to, text, name) {
        const { clients } = ctx;
        const names = name.split(',');
        const receivers: Record<string, typeof clients.all> = {
          all: clients.all,
          others: clients.others,
          caller: clients.caller,
          except: clients.except(names),
          user: clients.user(name),
          users: clients.users(names),
          group: clients.group(name),
          groups: clients.groups(names),
          othersIn: clients.othersIn(name),
          connection: clients.connection(name),
        };
        return receivers[to]?.Said(text) ?? -1;
      },
      Hang: () => hanging.promise,
      Leak(ctx) {
        ctx.signal.addEventListener('abort', () => aborted.push(ctx.connectionId));
      },
      Quit: (ctx) => ctx.abort(),
    },
    onDisconnected(ctx, reason) {
      const ending: Ending = [ctx.userId, reason];
      endings.push(ending);
      waiting.shift()?.(ending);
    },
  });
  /** Resolves with the next connection that ends. */
  const ending = () => new Promise<Ending>((resolve) => waiting.push(resolve));
  return { definition, endings, ending, aborted, hanging };
}

async function start(options: Parameters<typeof serve>[1] = {}) {
  const made = buildHub();
  const served = await serve(made.definition, options);
  const join = (user: string, query = '') =>
    Raw.connect(`${served.url}/hub`, { headers: { authorization: `Bearer ${user}` }, query });
  return { ...made, ...served, join, control: served.hubs.of(made.definition) };
}

const said = (text: string) => ({ type: 1, target: 'Said', arguments: [text] });

test('E1 onConnected throws: closed without reconnect and without onDisconnected', async () => {
  for (const late of [false, true]) {
    let disconnected = 0;
    const failing = hub<{ Run(): void }, object>({
      path: '/hub',
      methods: { Run: () => {} },
      onConnected: () => {
        if (late) return Promise.reject(new Error('no'));
        throw new Error('no');
      },
      onDisconnected: () => void disconnected++,
    });
    const { url, hubs } = await serve(failing);
    const raw = await Raw.connect(`${url}/hub`);
    expect(await raw.next()).toEqual({ type: 7, error: 'Connection closed with an error.' });
    await raw.closed;
    expect([disconnected, hubs.stats().hubs['/hub']?.connections]).toEqual([0, 0]);
  }
});

test('E1 E2 methods wait for onConnected; onDisconnected of a connection lost meanwhile runs afterwards', async () => {
  const opening = [gate(), gate()];
  const ended = gate<DisconnectReason>();
  const events: string[] = [];
  const slow = hub<{ Run(): void }, object>({
    path: '/hub',
    methods: { Run: () => void events.push('run') },
    onConnected: async () => {
      await opening[events.length === 0 ? 0 : 1]?.promise;
      events.push('connected');
    },
    onDisconnected: (_ctx, reason) => ended.open(reason),
  });
  const { url, hubs } = await serve(slow);
  const raw = await Raw.connect(`${url}/hub`);
  const answer = raw.call('Run');
  opening[0]?.open();
  await answer;
  expect(events).toEqual(['connected', 'run']);
  const second = await Raw.connect(`${url}/hub`);
  second.ws.terminate();
  while (hubs.stats().hubs['/hub']?.connections === 2) await new Promise(setImmediate);
  opening[1]?.open();
  expect(await ended.promise).toBe('lost');
  expect(events).toEqual(['connected', 'run', 'connected']);
});

test('E2 reason: distinguishes a client stop, a lost connection and a close by the server', async () => {
  const { join, ending, endings, control, sockets } = await start();
  let ended = ending();
  (await join('message')).send({ type: 7 });
  expect(await ended).toEqual(['message', 'client-stop']);
  ended = ending();
  (await join('frame')).ws.close(4321);
  expect(await ended).toEqual(['frame', 'client-stop']);
  ended = ending();
  (await join('page')).ws.close(1001);
  expect(await ended).toEqual(['page', 'lost']);
  ended = ending();
  const before = new Set(sockets);
  await join('reset');
  for (const socket of sockets) if (!before.has(socket)) socket.resetAndDestroy();
  expect(await ended).toEqual(['reset', 'lost']);
  ended = ending();
  (await join('garbage')).text('{\x1e');
  expect(await ended).toEqual(['garbage', 'error']);
  ended = ending();
  const quitting = await join('quit');
  quitting.send({ type: 1, target: 'Quit', arguments: [] });
  expect(await ended).toEqual(['quit', 'closed']);
  expect(await quitting.next()).toEqual({ type: 7 });
  expect(endings).toHaveLength(6);
  expect(control.connections()).toEqual([]);
});

test('E2 signal: aborted when the connection ends', async () => {
  const { join, ending, aborted } = await start();
  const raw = await join('anna');
  await raw.call('Leak');
  const ended = ending();
  raw.ws.terminate();
  await ended;
  expect(aborted).toHaveLength(1);
});

test('E3 the newest connection with an identity: replaces the older one of the same user only', async () => {
  const { join, ending, control } = await start();
  const older = await join('anna', '?peer=p1');
  const other = await join('ben', '?peer=p1');
  const ended = ending();
  const newer = await join('anna', '?peer=p1');
  expect(await ended).toEqual(['anna', 'replaced']);
  expect(await older.next()).toEqual({ type: 7, error: 'Replaced by a newer connection.' });
  expect((await older.closed).code).toBe(1000);
  expect(await newer.call('Groups')).toMatchObject({ result: [] });
  expect(await other.call('Groups')).toMatchObject({ result: [] });
  expect(control.connections().map(({ userId, identity }) => [userId, identity])).toEqual([
    ['ben', 'p1'],
    ['anna', 'p1'],
  ]);
});

test('ctx.query: has no secrets', async () => {
  let seen = '';
  const asking = hub<object, object>({
    path: '/hub',
    methods: {},
    onConnected: (ctx) => {
      seen = `${ctx.query} ${ctx.transport} ${ctx.protocol} ${ctx.items.size} ${ctx.userId}`;
    },
  });
  const { url } = await serve(asking);
  const { connectionToken } = await negotiate(`${url}/hub`);
  await Raw.connect(`${url}/hub`, { query: `?peer=1&id=${connectionToken}&ACCESS_TOKEN=x&b=2` });
  expect(seen).toBe('peer=1&b=2 WebSockets json 0 undefined');
});

test('G1 G3 messages: reach each receiver once, and the number of receivers is returned', async () => {
  const { join, control } = await start();
  const anna = await join('anna');
  const ben = await join('ben');
  const ben2 = await join('ben');
  await anna.call('Join', 'x');
  await ben.call('Join', 'x');
  await ben.call('Join', 'y');
  const [annaId, benId, ben2Id] = control.connections().map(({ connectionId }) => connectionId);
  const all = { anna, ben, ben2 };
  const cases: [to: string, name: string, receivers: (keyof typeof all)[]][] = [
    ['all', '', ['anna', 'ben', 'ben2']],
    ['others', '', ['ben', 'ben2']],
    ['caller', '', ['anna']],
    ['except', `${annaId},${benId}`, ['ben2']],
    ['user', 'ben', ['ben', 'ben2']],
    ['users', 'ben,anna,unknown', ['anna', 'ben', 'ben2']],
    ['group', 'x', ['anna', 'ben']],
    ['groups', 'x,y', ['anna', 'ben']],
    ['othersIn', 'x', ['ben']],
    ['connection', ben2Id as string, ['ben2']],
    ['group', 'empty', []],
  ];
  for (const [to, name, receivers] of cases) {
    const text = `${to} ${name}`;
    anna.send({ type: 1, invocationId: text, target: 'Say', arguments: [to, text, name] });
    if (receivers.includes('anna')) expect(await anna.next()).toEqual(said(text));
    expect(await anna.next()).toEqual({ type: 3, invocationId: text, result: receivers.length });
    for (const receiver of receivers) if (receiver !== 'anna') expect(await all[receiver].next()).toEqual(said(text));
  }
  expect(control.groupExcept('x', [annaId as string]).Said('from outside')).toBe(1);
  expect(await ben.next()).toEqual(said('from outside'));
});

test('G2 groups: end by leaving and with the connection', async () => {
  const { join, ending, control, hubs } = await start();
  const anna = await join('anna');
  const ben = await join('ben');
  for (const group of ['x', 'y']) for (const who of [anna, ben]) await who.call('Join', group);
  expect((await anna.call('Groups')).result).toEqual(['x', 'y']);
  await anna.call('Leave', 'x');
  expect((await anna.call('Groups')).result).toEqual(['y']);
  expect(control.group('x').Said('1')).toBe(1);
  const ended = ending();
  ben.ws.terminate();
  await ended;
  expect([control.group('x').Said('2'), control.group('y').Said('3')]).toEqual([0, 1]);
  expect(hubs.stats().hubs['/hub']).toMatchObject({ connections: 1, users: 1, groups: 1 });
  const id = control.connections()[0]?.connectionId as string;
  expect([await control.addToGroup(id, 'z'), await control.addToGroup('unknown', 'z')]).toEqual([true, false]);
  expect(control.group('z').Said('4')).toBe(1);
  expect(await control.removeFromGroup(id, 'z')).toBe(true);
  expect(control.group('z').Said('5')).toBe(0);
});

test('G3 a message to many: encoded once', async () => {
  const { join, control } = await start();
  await Promise.all(['a', 'b', 'c'].map((user) => join(user)));
  let encodings = 0;
  const text = {
    toJSON: () => {
      encodings++;
      return 'x';
    },
  };
  expect(control.all.Said(text as unknown as string)).toBe(3);
  expect(encodings).toBe(1);
});

test('G4 a client that does not read: closed with allowReconnect', async () => {
  const { join, ending, control, hubs } = await start();
  const anna = await join('anna');
  const ended = ending();
  anna.ws.pause();
  let sent = 0;
  while (control.user('anna').Said('x'.repeat(50_000)) > 0 && sent < 10_000) {
    sent++;
    await new Promise(setImmediate);
  }
  expect(await ended).toEqual(['anna', 'slow']);
  expect(hubs.stats().hubs['/hub']?.slow).toBe(1);
  anna.ws.resume();
  await anna.closed;
  expect(anna.frames.at(-1)).toBe('{"type":7,"allowReconnect":true}\x1e');
});

test('G5 nodes with one backplane: reach each other', async () => {
  const backplane = memory();
  const one = await start({ backplane });
  const two = await start({ backplane });
  const anna = await one.join('anna');
  const ben = await two.join('ben');
  await ben.call('Join', 'x');
  await ben.call('Join', 'y');
  const benId = two.control.connections()[0]?.connectionId as string;
  one.control.user('ben').Said('user');
  one.control.group('x').Said('group');
  one.control.groups(['x', 'y']).Said('groups');
  one.control.connection(benId).Said('connection');
  one.control.groupExcept('x', [benId]).Said('unknown');
  one.control.all.Said('all');
  for (const text of ['user', 'group', 'groups', 'connection', 'all']) expect(await ben.next()).toEqual(said(text));
  expect(await anna.next()).toEqual(said('all'));
  await ben.call('Leave', 'x');
  one.control.group('x').Said('left');
  one.control.group('y').Said('last');
  expect(await ben.next()).toEqual(said('last'));
  await two.hubs.close();
  expect(one.control.group('y').Said('gone')).toBe(0);
});

test('L1 nothing sent for 15 s: the client gets a ping @CONST-8', async () => {
  const { join, clock, control } = await start();
  const anna = await join('anna');
  clock.advance(14_000);
  control.all.Said('hello');
  expect(await anna.next()).toEqual(said('hello'));
  clock.advance(14_000);
  expect(anna.frames).toHaveLength(2);
  clock.advance(1_000);
  expect(await anna.next()).toEqual({ type: 6 });
  clock.advance(15_000);
  expect(await anna.next()).toEqual({ type: 6 });
});

test('L2 no message for 30 s after a ping: closed with allowReconnect @CONST-8', async () => {
  const { join, clock, ending } = await start({ detailedErrors: true });
  const anna = await join('anna');
  anna.send({ type: 6 });
  await anna.call('Groups');
  clock.advance(29_000);
  expect(await anna.next()).toEqual({ type: 6 });
  const ended = ending();
  clock.advance(1_000);
  expect(await ended).toEqual(['anna', 'timeout']);
  expect(await anna.next()).toEqual({
    type: 7,
    error:
      "Connection closed with an error. Client hasn't sent a message/ping within the configured ClientTimeoutInterval.",
    allowReconnect: true,
  });
});

test('L2 a client that never pings, or whose method runs: does not time out', async () => {
  const { join, clock, hanging, control } = await start();
  const quiet = await join('quiet');
  const busy = await join('busy');
  busy.send({ type: 6 }, { type: 1, invocationId: 'h', target: 'Hang', arguments: [] });
  await quiet.call('Groups');
  await (await join('other')).call('Groups');
  clock.advance(120_000);
  expect(control.connections().map(({ userId }) => userId)).toEqual(['quiet', 'busy', 'other']);
  hanging.open();
  while ((await busy.next()).type !== 3);
  clock.advance(29_000);
  expect(control.user('busy').Said('still here')).toBe(1);
  clock.advance(1_000);
  expect(control.connections().map(({ userId }) => userId)).toEqual(['quiet', 'other']);
});

test('A4 an expired token: closed with allowReconnect', async () => {
  const { join, clock, ending, control } = await start();
  const anna = await join(`anna@${clock.now() + 10_000}`);
  await join('ben');
  const ended = ending();
  clock.advance(9_000);
  expect(control.connections()).toHaveLength(2);
  clock.advance(1_000);
  expect(await ended).toEqual(['anna', 'auth']);
  expect(await anna.next()).toEqual({ type: 7, allowReconnect: true });
  expect(control.connections().map(({ userId }) => userId)).toEqual(['ben']);
});

test('O1 connections and close: list claims, and close one connection', async () => {
  const { join, control, ending, clock } = await start();
  const [anna, ben] = [await join('anna'), await join('ben')];
  await anna.call('Join', 'x');
  const list = control.connections();
  expect(list[0]).toEqual({
    connectionId: expect.any(String),
    userId: 'anna',
    claims: { name: 'anna!' },
    identity: undefined,
    transport: 'WebSockets',
    connectedAt: clock.now(),
    groups: ['x'],
  });
  let ended = ending();
  expect(control.close(list[0]?.connectionId as string, { error: 'Signed out.', reason: 'auth' })).toBe(true);
  expect(await ended).toEqual(['anna', 'auth']);
  expect(await anna.next()).toEqual({ type: 7, error: 'Signed out.' });
  ended = ending();
  expect(control.close(list[1]?.connectionId as string, { allowReconnect: true })).toBe(true);
  expect(await ended).toEqual(['ben', 'closed']);
  expect(await ben.next()).toEqual({ type: 7, allowReconnect: true });
  expect(control.close(list[1]?.connectionId as string)).toBe(false);
});

test('O2 drain: closes evenly and waits for running methods', async () => {
  const { join, hubs, clock, control, hanging, endings } = await start();
  const all = [];
  for (let i = 0; i < 10; i++) all.push(await join(`u${i}`));
  all[0]?.send({ type: 1, invocationId: 'h', target: 'Hang', arguments: [] });
  all[0]?.ws.ping();
  if (all[0]) await once(all[0].ws, 'pong');
  const drained = hubs.drain({ overMs: 10_000 });
  const counts: number[] = [];
  const seconds = (count: number) => {
    for (let second = 0; second < count; second++) {
      clock.advance(1_000);
      counts.push(control.connections().length);
    }
  };
  seconds(4);
  // The first one was due after a second, but its method still runs.
  hanging.open();
  expect(await all[0]?.next()).toEqual({ type: 3, invocationId: 'h', result: null });
  expect(await all[0]?.next()).toEqual({ type: 7, allowReconnect: true });
  seconds(6);
  expect(counts).toEqual([10, 9, 8, 7, 5, 4, 3, 2, 1, 0]);
  expect(await all[5]?.next()).toEqual({ type: 7, allowReconnect: true });
  await drained;
  expect(new Set(endings.map(([, reason]) => reason))).toEqual(new Set(['shutdown']));
  expect(endings).toHaveLength(10);
});

test('O2 drain with a method that never ends: closes it after the timeout', async () => {
  const { join, hubs, clock, ending } = await start();
  const anna = await join('anna');
  anna.send({ type: 1, target: 'Hang', arguments: [] });
  anna.ws.ping();
  await once(anna.ws, 'pong');
  const [drained, ended] = [hubs.drain(), ending()];
  clock.advance(5_000);
  expect(await ended).toEqual(['anna', 'shutdown']);
  await drained;
});

test('O3 log: has no tokens and no arguments', async () => {
  const { join, logged, ending } = await start({ detailedErrors: true });
  const anna = await join('anna');
  anna.send({ type: 1, target: 'Say', arguments: ['secret'] }, { type: 1, target: 'Join', arguments: [] });
  const ended = ending();
  anna.text('{"type":1,"target":"Say","arguments":"secret"}\x1e');
  await ended;
  expect(logged.length).toBe(3);
  expect(JSON.stringify(logged)).not.toMatch(/secret|Bearer|anna/);
});
