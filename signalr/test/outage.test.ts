import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failure } from '../src/backplane/requests.ts';
import { NodeAddresses } from '../src/http/node-addresses.ts';
import { hub, memory } from '../src/index.ts';
import { type Served, serve } from './support.ts';
import { brokered, engines, eventually, world as planes } from './support-backplane.ts';
import { balancer } from './tcp-proxy.ts';
import { transports } from './world.ts';

/** Forwarding without sticky sessions while the backplane is down: nodes use the last known addresses. */

const broadcasts: unknown[] = [];
const definition = hub<{ Echo(value: unknown): unknown }, object>({
  path: '/hub',
  methods: { Echo: (_ctx, value) => value },
  onBroadcast: (value) => void broadcasts.push(value),
});

/** Moves `performance.now`. */
const now = performance.now.bind(performance);
function later(ms: number): void {
  vi.restoreAllMocks();
  const moved = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => moved.mockRestore());
}

describe.each(engines.filter(({ name }) => name !== 'memory'))('$name, down for a while', (engine) => {
  const broker = brokered(engine);

  test.for(['killed', 'frozen'])(
    'F6 %s: old and new clients are served with every request on another node',
    async (how) => {
      const { plane, up } = planes(engine, broker(), { pingMs: 500 });
      const nodes: Served[] = [];
      for (let index = 0; index < 3; index++) {
        const at: { url?: string } = {};
        const backplane = plane();
        const node = await serve(definition, { backplane, instance: `node-${index}`, address: () => at.url });
        at.url = node.url;
        nodes.push(node);
        await up(backplane);
      }
      // Messages that a node has published before arrive before this one.
      broadcasts.length = 0;
      for (const node of nodes) node.clock.advance(1_000);
      for (const [index, node] of nodes.entries()) node.hubs.of(definition).broadcast(index);
      await vi.waitUntil(() => broadcasts.length === 9, eventually);

      const url = await balancer(() => nodes.map((node) => node.url));
      const connect = async (transport: (typeof transports)[number]) => {
        const connection = new HubConnectionBuilder()
          .withUrl(`${url}/hub`, { transport: HttpTransportType[transport] })
          .configureLogging(LogLevel.None)
          .build();
        onTestFinished(() => connection.stop());
        await connection.start();
        return connection;
      };
      const old = await Promise.all(transports.map(connect));
      const server = broker();
      if (how === 'killed') await server?.kill();
      else server?.freeze();
      try {
        later(60_000);
        if (how === 'killed')
          await vi.waitUntil(() => nodes.every(({ hubs }) => hubs.stats().backplane === 'down'), eventually);
        const fresh = await Promise.all([...transports, ...transports, ...transports].map(connect));
        for (const connection of [...old, ...fresh])
          for (let value = 0; value < 3; value++) expect(await connection.invoke('Echo', value)).toBe(value);
      } finally {
        if (how === 'killed') await server?.start();
        else server?.thaw();
      }
    },
  );
});

describe('addresses', () => {
  const at = 'http://10.0.0.3:3000';
  const make = () => {
    const asked: string[] = [];
    const answers: (string | Error)[] = [];
    const addresses = new NodeAddresses(async (instance) => {
      asked.push(instance);
      const next = answers.shift() ?? new Error(failure.down);
      if (next instanceof Error) throw next;
      return next;
    });
    return { asked, answers, addresses };
  };

  test('F1 an address: requested once, and refreshed in the background when it is old', async () => {
    const { asked, answers, addresses } = make();
    answers.push(at, 'http://10.0.0.4:3000');
    expect(await Promise.all([addresses.of('a'), addresses.of('a')])).toEqual([at, at]);
    expect(asked).toEqual(['a']);
    later(31_000);
    expect(await addresses.of('a')).toBe(at);
    await new Promise(setImmediate);
    expect(await addresses.of('a')).toBe('http://10.0.0.4:3000');
    expect(asked).toEqual(['a', 'a']);
  });

  test.each([failure.down, failure.late])(
    'F6 a failed refresh (%s): the last known address is used',
    async (reason) => {
      const { asked, answers, addresses } = make();
      addresses.learn('a', at);
      answers.push(...Array.from({ length: 5 }, () => new Error(reason)));
      for (const ms of [31_000, 40_000, 600_000]) {
        later(ms);
        expect(await addresses.of('a')).toBe(at);
        await new Promise(setImmediate);
      }
      // Also after a failed attempt: the node may have restarted.
      addresses.failed('a');
      expect(await addresses.of('a')).toBe(at);
      expect(asked).toHaveLength(4);
    },
  );

  test('F3 a node that is not on the backplane: tried for a minute, and not after a failed attempt', async () => {
    const { answers, addresses } = make();
    const absent = () => answers.push(new Error(failure.absent));
    addresses.learn('a', at);
    addresses.learn('b', at);
    absent();
    later(31_000);
    expect(await addresses.of('a')).toBe(at);
    await new Promise(setImmediate);
    absent();
    addresses.failed('a');
    expect(await addresses.of('a')).toBe('');
    absent();
    later(61_000);
    expect(await addresses.of('b')).toBe(at);
    await new Promise(setImmediate);
    expect(await addresses.of('b')).toBe('');
  });

  test('F3 a node that announces an empty address: has none', async () => {
    const { answers, addresses } = make();
    answers.push('', '');
    expect(await addresses.of('a')).toBe('');
    addresses.learn('a', at);
    addresses.learn('a', '');
    expect(await addresses.of('a')).toBe('');
  });
});

test.each(['nonsense', 'ftp://127.0.0.1:1', 'http://'])('F3 an invalid address (%s): 404', async (address) => {
  const backplane = memory();
  const there = await serve(definition, { backplane, instance: 'there', address });
  const here = await serve(definition, { backplane, instance: 'here' });
  const token = 'there.x';
  expect((await fetch(`${here.url}/hub?id=${token}`)).status).toBe(404);
  expect(there.hubs.stats().hubs['/hub']?.connections).toBe(0);
});
