import { describe, expect, test, vi } from 'vitest';
import { type DisconnectReason, type HubControl, hub } from '../src/index.ts';
import { Raw, type Served, serve } from './support.ts';
import { type Broker, brokered, type Engine, engines, eventually, world as planes } from './support-backplane.ts';
import { balancer } from './tcp-proxy.ts';
import { world } from './world.ts';

/** Several nodes with each backplane, also while the backplane or a node is down. */

interface Server {
  Join(group: string): void;
  Tell(whom: 'others' | 'othersIn' | 'caller', text: string): number;
}
interface Client {
  Said(text: string): void;
  Answer(question: string): string;
}

const reasons: DisconnectReason[] = [];
const broadcasts: unknown[] = [];
const definition = hub<Server, Client, null>({
  path: '/hub',
  authenticate: ({ token }) => ({ userId: token, claims: null }),
  identity: (ctx) => ctx.query.get('peer') ?? undefined,
  methods: {
    Join: (ctx, group) => ctx.groups.add(group),
    Tell(ctx, whom, text) {
      const { others, caller } = ctx.clients;
      return { others, caller, othersIn: ctx.clients.othersIn('x') }[whom].Said(text);
    },
  },
  onBroadcast: (value) => void broadcasts.push(value),
  onDisconnected: (_ctx, reason) => void reasons.push(reason),
});

interface Node extends Served {
  readonly control: HubControl<Client, null>;
}

/** Nodes with one backplane each, as in separate processes. */
async function cluster(engine: Engine, broker: Broker | undefined, count: number): Promise<Node[]> {
  reasons.length = 0;
  broadcasts.length = 0;
  const { plane, up } = planes(engine, broker, { pingMs: 500 });
  const nodes: Node[] = [];
  for (let index = 0; index < count; index++) {
    const backplane = plane();
    const served = await serve(definition, { backplane, instance: `node-${index}` });
    nodes.push({ ...served, control: served.hubs.of(definition) });
    await up(backplane);
  }
  return nodes;
}

/** A client that records its messages and returns client results. */
class Peer {
  readonly raw: Raw;
  readonly id: string;
  readonly received: string[] = [];
  ended = false;
  readonly #answers: ((result: unknown) => void)[] = [];

  constructor(raw: Raw, id: string) {
    this.raw = raw;
    this.id = id;
    void this.#listen();
  }

  static async on(node: Node, user: string, groups: readonly string[] = [], query = ''): Promise<Peer> {
    const before = new Set(node.control.connections().map(({ connectionId }) => connectionId));
    const raw = await Raw.connect(`${node.url}/hub`, { headers: { authorization: `Bearer ${user}` }, query });
    const id = node.control.connections().find(({ connectionId }) => !before.has(connectionId))?.connectionId ?? '';
    const peer = new Peer(raw, id);
    for (const group of groups) await peer.call('Join', group);
    return peer;
  }

  async #listen(): Promise<void> {
    for (;;) {
      const message = await this.raw.next();
      if (message.type === 7) this.ended = true;
      else if (message.type === 3) this.#answers.shift()?.(message.result);
      else if (message.target === 'Answer' && message.arguments[0] === 'no')
        this.raw.send({ type: 3, invocationId: message.invocationId, error: 'No.' });
      else if (message.target === 'Answer')
        this.raw.send({ type: 3, invocationId: message.invocationId, result: `${message.arguments[0]}!` });
      else if (message.target === 'Said') this.received.push(message.arguments[0]);
    }
  }

  call(target: string, ...args: unknown[]): Promise<unknown> {
    const answer = new Promise((resolve) => this.#answers.push(resolve));
    this.raw.send({ type: 1, invocationId: 'c', target, arguments: args });
    return answer;
  }

  /** Returns and clears the messages received before `text`, which comes last. */
  async until(text: string): Promise<string[]> {
    await vi.waitUntil(() => this.received.includes(text), eventually);
    return this.received.splice(0).filter((one) => one !== text && one !== 'probe');
  }
}

/** Users are subscribed in the background: waits until a message from another node reaches them. */
async function reachable(from: Node, peers: readonly (readonly [Peer, string])[]): Promise<void> {
  for (const [peer, user] of peers)
    await vi.waitUntil(() => {
      from.control.user(user).Said('probe');
      return peer.received.includes('probe');
    }, eventually);
}

describe.each(engines)('$name', (engine) => {
  const broker = brokered(engine);

  test('G5 G1 messages: reach each receiver on every node once, and no other client', async () => {
    const nodes = await cluster(engine, broker(), 3);
    const [first, second, third] = nodes as [Node, Node, Node];
    const [anna, ben, cleo] = [
      await Peer.on(first, 'anna', ['x']),
      await Peer.on(second, 'ben', ['x', 'y']),
      await Peer.on(third, 'cleo', ['y']),
    ];
    await reachable(first, [
      [ben, 'ben'],
      [cleo, 'cleo'],
    ]);
    const { control } = first;
    control.all.Said('all');
    control.except([anna.id, ben.id]).Said('except');
    control.user('ben').Said('user');
    control.users(['anna', 'cleo', 'unknown']).Said('users');
    control.group('x').Said('group');
    control.groups(['x', 'y']).Said('groups');
    control.groups([]).Said('never');
    control.groupExcept('y', [ben.id]).Said('groupExcept');
    control.connection(cleo.id).Said('connection');
    control.connection(anna.id).Said('own');
    control.all.Said('end');
    expect(await anna.until('end')).toEqual(['all', 'users', 'group', 'groups', 'own']);
    expect(await ben.until('end')).toEqual(['all', 'user', 'group', 'groups']);
    expect(await cleo.until('end')).toEqual(['all', 'except', 'users', 'groups', 'groupExcept', 'connection']);
    expect(await ben.call('Tell', 'others', 'others')).toBe(0);
    await ben.call('Tell', 'othersIn', 'othersIn');
    expect(await ben.call('Tell', 'caller', 'caller')).toBe(1);
    second.control.all.Said('end');
    expect(await anna.until('end')).toEqual(['others', 'othersIn']);
    expect(await ben.until('end')).toEqual(['caller']);
    expect(await cleo.until('end')).toEqual(['others']);
  });

  test('G7 broadcast: runs onBroadcast once on every node', async () => {
    const [here] = (await cluster(engine, broker(), 3)) as [Node, Node, Node];
    here.control.broadcast({ text: "it's over", uid: 7 });
    await vi.waitUntil(() => broadcasts.length >= 3, eventually);
    expect(broadcasts).toEqual(Array(3).fill({ text: "it's over", uid: 7 }));
  });

  test('G5 R1 R2 a connection of another node: joins and leaves groups, and returns client results', async () => {
    const [here, there] = (await cluster(engine, broker(), 2)) as [Node, Node];
    const ben = await Peer.on(there, 'ben');
    expect(await here.control.addToGroup(ben.id, 'x')).toBe(true);
    here.control.group('x').Said('joined');
    expect(await here.control.removeFromGroup(ben.id, 'x')).toBe(true);
    here.control.group('x').Said('left');
    here.control.all.Said('end');
    expect(await ben.until('end')).toEqual(['joined']);
    expect(await here.control.addToGroup('node-1.unknown', 'x')).toBe(false);
    expect(await here.control.addToGroup('nowhere.unknown', 'x')).toBe(false);
    const ask = (id: string, question: string) => here.control.connection(id).invoke('Answer', [question]);
    expect(await Promise.all([ask(ben.id, 'a'), ask(ben.id, 'b')])).toEqual(['a!', 'b!']);
    await expect(ask(ben.id, 'no')).rejects.toThrow('No.');
    await expect(ask('node-1.unknown', 'a')).rejects.toThrow('There is no such connection.');
    await expect(ask('nowhere.unknown', 'a')).rejects.toThrow('No such process.');
  });

  test('E3 a newer connection with an identity: replaces the older one on another node, also a new one', async () => {
    const nodes = (await cluster(engine, broker(), 2)) as [Node, Node];
    let older = await Peer.on(nodes[0], 'anna', [], '?peer=p');
    const other = await Peer.on(nodes[0], 'ben', [], '?peer=p');
    for (let turn = 1; turn <= 8; turn++) {
      for (const { clock } of nodes) clock.advance(turn === 4 ? 5_000 : 100);
      const newer = await Peer.on(nodes[turn % 2] as Node, 'anna', [], '?peer=p');
      await vi.waitUntil(() => older.ended, eventually);
      expect(reasons).toEqual(Array(turn).fill('replaced'));
      older = newer;
    }
    // In the same millisecond the first may win; its node then repeats its claim.
    const both = [await Peer.on(nodes[1], 'cleo', [], '?peer=same'), await Peer.on(nodes[0], 'cleo', [], '?peer=same')];
    await vi.waitUntil(() => both.filter(({ ended }) => ended).length === 1, eventually);
    for (const node of nodes) node.control.all.Said('end');
    await other.until('end');
    expect(both.filter(({ ended }) => ended)).toHaveLength(1);
    expect([older.ended, other.ended]).toEqual([false, false]);
  });
});

describe.each(engines.filter(({ name }) => name !== 'memory'))('$name, down for a while', (engine) => {
  test('G6 O5 backplane down: local delivery continues, stats report it, and everything works afterwards', async ({
    skip,
  }) => {
    if (engine.absent) skip(engine.absent);
    const broker = (await engine.broker()) as Broker;
    await broker.start();
    try {
      const nodes = (await cluster(engine, broker, 2)) as [Node, Node];
      const [here, there] = nodes;
      const [anna, ben] = [await Peer.on(here, 'anna', ['x']), await Peer.on(there, 'ben', ['x'])];
      const state = (node: Node) => node.hubs.stats().backplane;
      expect(nodes.map(state)).toEqual(['up', 'up']);
      await broker.kill();
      await vi.waitUntil(() => nodes.every((node) => state(node) === 'down'), eventually);
      expect(here.control.group('x').Said('local')).toBe(1);
      expect(await anna.until('local')).toEqual([]);
      expect(await here.control.addToGroup(ben.id, 'y')).toBe(false);
      await expect(here.control.connection(ben.id).invoke('Answer', ['a'])).rejects.toThrow('backplane is down');
      // Clients that connect meanwhile are reachable afterwards; joining does not wait for the backplane.
      const cleo = await Peer.on(there, 'cleo');
      const joined = cleo.call('Join', 'x');
      await broker.start();
      await vi.waitUntil(() => nodes.every((node) => state(node) === 'up'), eventually);
      await joined;
      await reachable(here, [[cleo, 'cleo']]);
      here.control.group('x').Said('back');
      here.control.all.Said('end');
      expect(await ben.until('end')).toEqual(['back']);
      expect(await cleo.until('end')).toEqual(['back']);
      expect(await here.control.addToGroup(ben.id, 'y')).toBe(true);
    } finally {
      await broker.kill();
    }
  });
});

test.each([
  ['WebSockets', 'json'],
  ['LongPolling', 'messagepack'],
] as const)('F3 %s, %s: a node stops: its client reconnects to the other and joins again', async (...kind) => {
  const { served, definition: shared, connect } = await world(2);
  let urls = served.map(({ url }) => url);
  const url = await balancer(() => urls);
  const anna = connect(kind, { via: url });
  const received: string[] = [];
  anna.on('Said', (text) => void received.push(text));
  const back = new Promise<void>((resolve) => {
    anna.onreconnected(() => void anna.invoke('Join', 'x').then(() => resolve()));
  });
  await anna.start();
  await anna.invoke('Join', 'x');
  const owner = served.findIndex(({ hubs }) => hubs.of(shared).connections().length === 1);
  const [dead, left] = [served[owner], served[1 - owner]] as [Served, Served];
  urls = [left.url];
  dead.http.close();
  for (const socket of dead.sockets) socket.destroy();
  await dead.hubs.close();
  await back;
  expect(left.hubs.of(shared).group('x').Said('again', 'server')).toBe(1);
  await expect.poll(() => received).toEqual(['again']);
});
