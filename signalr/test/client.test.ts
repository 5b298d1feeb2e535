import { HttpTransportType, HubConnectionBuilder, HubConnectionState, LogLevel } from '@microsoft/signalr';
import { expect, onTestFinished, test } from 'vitest';
import { typed } from '../src/client.ts';
import { type DisconnectReason, HubError, hub } from '../src/index.ts';
import { serve } from './support.ts';

/** Microsoft's unmodified client against this server. */

interface Server {
  Add(a: number, b: number): number;
  Nothing(): void;
  Fail(): void;
  Join(group: string): void;
  ToGroup(group: string, text: string): number;
  ToUser(user: string, text: string): number;
  Cut(): void;
}

interface Client {
  Said(text: string, from: string): void;
}

async function start(options: Parameters<typeof serve>[1] = {}) {
  const reasons: DisconnectReason[] = [];
  const waiting: (() => void)[] = [];
  const definition = hub<Server, Client, null>({
    path: '/hub',
    authenticate: ({ token }) => (token ? { userId: token, claims: null } : null),
    identity: (ctx) => ctx.query.get('peer') ?? undefined,
    methods: {
      Add: async (_ctx, a, b) => a + b,
      Nothing: () => {},
      Fail: () => {
        throw new HubError('Not today.');
      },
      Join: async (ctx, group) => ctx.groups.add(group),
      ToGroup: (ctx, group, text) => ctx.clients.othersIn(group).Said(text, ctx.userId ?? ''),
      ToUser: (ctx, user, text) => ctx.clients.user(user).Said(text, ctx.userId ?? ''),
      Cut: () => {
        for (const socket of served.sockets) socket.resetAndDestroy();
      },
    },
    onDisconnected: (_ctx, reason) => {
      reasons.push(reason);
      waiting.shift()?.();
    },
  });
  const served = await serve(definition, options);

  function connect(user: string | undefined, { peer = '', skipNegotiation = false } = {}) {
    const plain = new HubConnectionBuilder()
      .withUrl(`${served.url}/hub${peer && `?peer=${peer}`}`, {
        ...(user && { accessTokenFactory: () => user }),
        ...(skipNegotiation && { skipNegotiation, transport: HttpTransportType.WebSockets }),
      })
      .withAutomaticReconnect([0, 0, 0])
      .configureLogging(LogLevel.None)
      .build();
    onTestFinished(() => plain.stop());
    return typed<Server, Client, typeof plain>(plain);
  }

  const ended = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { ...served, definition, control: served.hubs.of(definition), connect, reasons, ended };
}

type Connection = ReturnType<Awaited<ReturnType<typeof start>>['connect']>;
const received = (connection: Connection) =>
  new Promise<string>((resolve) => connection.on('Said', (text, from) => resolve(`${from}: ${text}`)));
const closed = (connection: Connection) => new Promise<Error | undefined>((resolve) => connection.onclose(resolve));
const reconnected = (connection: Connection) =>
  new Promise<string | undefined>((resolve) => connection.onreconnected(resolve));

test.for([false, true])(
  'N1 W1 I1 the client (skipNegotiation: %s): negotiates, calls and stops @HUB-1',
  async (skipNegotiation) => {
    const { connect, control, reasons, ended } = await start();
    const anna = connect('anna', { skipNegotiation });
    await anna.start();
    expect(await anna.invoke('Add', 1, 2)).toBe(3);
    expect(await anna.invoke('Nothing')).toBeNull();
    await anna.send('Nothing');
    expect(control.connections()).toMatchObject([
      { userId: 'anna', ...(!skipNegotiation && { connectionId: anna.connectionId }) },
    ]);
    const over = ended();
    await anna.stop();
    await over;
    expect(reasons).toEqual(['client-stop']);
  },
);

test('I2 I5 errors: reach the caller with their text', async () => {
  const { connect } = await start();
  const anna = connect('anna');
  await anna.start();
  await expect(anna.invoke('Fail')).rejects.toThrow(
    "An unexpected error occurred invoking 'Fail' on the server. HubException: Not today.",
  );
  await expect(anna.invoke('Missing' as 'Fail')).rejects.toThrow('HubException: Method does not exist.');
});

test('G1 messages to groups and users: arrive, also from outside the methods', async () => {
  const { connect, control } = await start();
  const [anna, ben] = [connect('anna'), connect('ben')];
  await Promise.all([anna.start(), ben.start()]);
  await anna.invoke('Join', 'x');
  await ben.invoke('Join', 'x');
  let next = received(ben);
  expect(await anna.invoke('ToGroup', 'x', 'hello')).toBe(1);
  expect(await next).toBe('anna: hello');
  next = received(ben);
  expect(await anna.invoke('ToUser', 'ben', 'you')).toBe(1);
  expect(await next).toBe('anna: you');
  const both = [received(anna), received(ben)];
  expect(control.all.Said('all', 'server')).toBe(2);
  expect(await Promise.all(both)).toEqual(['server: all', 'server: all']);
});

test('A2 start without a token: fails with Unauthorized @HUB-1', async () => {
  const { connect } = await start();
  await expect(connect(undefined).start()).rejects.toThrow(/Unauthorized: Status code '401'/);
});

test('E2 a reset TCP connection: the client reconnects', async () => {
  const { connect, control, reasons } = await start();
  const anna = connect('anna');
  await anna.start();
  const first = anna.connectionId;
  const back = reconnected(anna);
  anna.send('Cut').catch(() => {});
  const second = await back;
  expect(second).not.toBe(first);
  expect(await anna.invoke('Add', 2, 2)).toBe(4);
  expect(reasons).toEqual(['lost']);
  expect(control.connections().map(({ connectionId }) => connectionId)).toEqual([second]);
});

test('O1 close: the client reconnects only with allowReconnect', async () => {
  const { connect, control } = await start();
  const anna = connect('anna');
  await anna.start();
  const back = reconnected(anna);
  control.close(anna.connectionId ?? '', { allowReconnect: true });
  const id = await back;
  const end = closed(anna);
  control.close(id ?? '', { error: 'Signed out.' });
  expect((await end)?.message).toBe('Server returned an error on close: Signed out.');
  expect(anna.state).toBe(HubConnectionState.Disconnected);
});

test('E3 a second connection with the same identity: closes the first without reconnect', async () => {
  const { connect, reasons, control } = await start();
  const [first, second] = [connect('anna', { peer: 'p' }), connect('anna', { peer: 'p' })];
  await first.start();
  const end = closed(first);
  await second.start();
  expect((await end)?.message).toContain('Replaced by a newer connection.');
  expect(reasons).toEqual(['replaced']);
  expect(control.connections().map(({ connectionId }) => connectionId)).toEqual([second.connectionId]);
});

test('L2 client timeout: the client reconnects', async () => {
  const { connect, clock, reasons } = await start();
  const anna = connect('anna');
  anna.keepAliveIntervalInMilliseconds = 10;
  await anna.start();
  const back = reconnected(anna);
  // The client timeout applies from the client's first ping on.
  while (reasons.length === 0) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  await back;
  expect(reasons).toEqual(['timeout']);
});

test('O2 drain: closes all connections, and the clients reconnect', async () => {
  const { connect, hubs, clock, control, reasons } = await start();
  const clients = ['a', 'b', 'c', 'd'].map((user) => connect(user));
  await Promise.all(clients.map((client) => client.start()));
  const lost = clients.map((client) => new Promise((resolve) => client.onreconnecting(resolve)));
  const drained = hubs.drain({ overMs: 4_000 });
  clock.advance(2_000);
  expect(control.connections()).toHaveLength(2);
  clock.advance(2_000);
  await drained;
  await Promise.all(lost);
  expect(reasons).toEqual(Array(4).fill('shutdown'));
});
