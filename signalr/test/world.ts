import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  HubConnectionState,
  LogLevel,
} from '@microsoft/signalr';
import { MessagePackHubProtocol } from '@microsoft/signalr-protocol-msgpack';
import { onTestFinished } from 'vitest';
import { type TypedConnection, typed } from '../src/client.ts';
import { type DisconnectReason, HubError, type HubServerOptions, hub, memory, stream, upload } from '../src/index.ts';
import { messagePack } from '../src/protocol/messagepack.ts';
import { type Served, serve } from './support.ts';
import { balancer, startTcpProxy } from './tcp-proxy.ts';

/** A hub with every kind of method, on one or two nodes, for Microsoft's client. */

export interface Server {
  Echo(value: unknown): unknown;
  Fail(kind: 'hub' | 'other'): void;
  Nothing(): void;
  Join(group: string): void;
  Leave(group: string): void;
  ToGroup(group: string, text: string): number;
  ToOthers(text: string): number;
  ToUser(user: string, text: string): number;
  /** Pushes the numbers below `count` to the caller. */
  Push(count: number): void;
  /** Pushes `count` numbers from `from` on. */
  PushOn(from: number, count: number): void;
  /** Yields the numbers below `count`, then fails when asked to. */
  Count(count: number, fails: boolean): AsyncIterable<number>;
  /** Yields until it is cancelled. */
  Endless(): AsyncIterable<number>;
  Sum(start: number, values: AsyncIterable<number>): number;
  First(values: AsyncIterable<number>): number;
  Double(values: AsyncIterable<number>): AsyncIterable<number>;
  /** Invokes a method of the caller and returns its result. */
  AskMe(question: string): string;
  Bytes(value: Uint8Array): Uint8Array;
}

export interface Client {
  Said(text: string, from: string): void;
  Number(value: number): void;
  Answer(question: string): string;
}

export type Peer = TypedConnection<Server, Client, HubConnection>;

export const transports = ['WebSockets', 'ServerSentEvents', 'LongPolling'] as const;
export type Kind = readonly [transport: (typeof transports)[number], protocol: 'json' | 'messagepack'];
/** Without MessagePack over server-sent events, which do not support binary messages. */
export const kinds: readonly Kind[] = [
  ['WebSockets', 'json'],
  ['WebSockets', 'messagepack'],
  ['ServerSentEvents', 'json'],
  ['LongPolling', 'json'],
  ['LongPolling', 'messagepack'],
];

export interface World {
  readonly served: readonly Served[];
  readonly url: string;
  readonly reasons: DisconnectReason[];
  /** Streams whose `finally` has run. */
  readonly ended: string[];
  readonly resumed: string[];
  readonly definition: ReturnType<typeof buildHub>;
  connect(kind: Kind, options?: ConnectOptions): Peer;
}

export interface ConnectOptions {
  readonly user?: string;
  readonly stateful?: boolean;
  /** Another URL of the server, such as that of a faulty proxy. */
  readonly via?: string;
  readonly peer?: string;
}

function buildHub(reasons: DisconnectReason[], ended: string[], resumed: string[]) {
  return hub<Server, Client, null>({
    path: '/hub',
    authenticate: ({ token }) => ({ userId: token ?? 'anna', claims: null }),
    identity: (ctx) => ctx.query.get('peer') ?? undefined,
    limits: { parallel: 2 },
    // The client acknowledges once a second; the buffer holds what tests send in a second.
    statefulReconnect: { bufferBytes: 1_000_000 },
    methods: {
      Echo: async (_ctx, value) => value,
      Fail: (_ctx, kind) => {
        throw kind === 'hub' ? new HubError('Not today.') : new Error('A secret.');
      },
      Nothing() {},
      Join: (ctx, group) => ctx.groups.add(group),
      Leave: (ctx, group) => ctx.groups.remove(group),
      ToGroup: (ctx, group, text) => ctx.clients.othersIn(group).Said(text, ctx.userId ?? ''),
      ToOthers: (ctx, text) => ctx.clients.others.Said(text, ctx.userId ?? ''),
      ToUser: (ctx, user, text) => ctx.clients.user(user).Said(text, ctx.userId ?? ''),
      Push(ctx, count) {
        for (let value = 0; value < count; value++) ctx.clients.caller.Number(value);
      },
      PushOn(ctx, from, count) {
        for (let value = from; value < from + count; value++) ctx.clients.caller.Number(value);
      },
      Count: stream(async function* (_ctx, count, fails) {
        try {
          for (let value = 0; value < count; value++) {
            await new Promise(setImmediate);
            yield value;
          }
          if (fails) throw new HubError('Enough.');
        } finally {
          ended.push('Count');
        }
      }),
      Endless: stream(async function* (ctx) {
        try {
          for (let value = 0; !ctx.signal.aborted; value++) {
            yield value;
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
        } finally {
          ended.push('Endless');
        }
      }),
      Sum: upload(async (_ctx, start, values) => {
        let sum = start;
        for await (const value of values) sum += value;
        return sum;
      }),
      First: upload(async (_ctx, values) => {
        for await (const value of values) return value;
        return -1;
      }),
      Double: stream(
        async function* (_ctx, values) {
          for await (const value of values) yield value * 2;
        },
        { uploads: 1 },
      ),
      AskMe: (ctx, question) => ctx.clients.caller.invoke('Answer', [question], { timeoutMs: 10_000 }),
      Bytes: (_ctx, value) => value,
    },
    onResumed: (ctx) => void resumed.push(ctx.connectionId),
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });
}

/** Serves the hub on `instances` nodes, behind a load balancer if there are several. */
export async function world(instances = 1, options: Partial<HubServerOptions> = {}): Promise<World> {
  const reasons: DisconnectReason[] = [];
  const ended: string[] = [];
  const resumed: string[] = [];
  const definition = buildHub(reasons, ended, resumed);
  const backplane = memory();
  const served: Served[] = [];
  for (let index = 0; index < instances; index++) {
    const at: { url?: string } = {};
    const one = await serve(definition, {
      realTime: true,
      protocols: [messagePack],
      backplane,
      address: () => at.url,
      ...options,
    });
    at.url = one.url;
    served.push(one);
  }
  const url = instances === 1 ? (served[0] as Served).url : await balancer(() => served.map((one) => one.url));
  return {
    served,
    url,
    reasons,
    ended,
    resumed,
    definition,
    connect([transport, protocol], { user, stateful = false, via = url, peer } = {}) {
      let builder = new HubConnectionBuilder()
        .withUrl(`${via}/hub${peer ? `?peer=${peer}` : ''}`, {
          transport: HttpTransportType[transport],
          ...(user && { accessTokenFactory: () => user }),
        })
        .withAutomaticReconnect([0, 50, 100, 500])
        .configureLogging(LogLevel.None);
      if (protocol === 'messagepack') builder = builder.withHubProtocol(new MessagePackHubProtocol());
      if (stateful) builder = builder.withStatefulReconnect();
      const plain = builder.build();
      onTestFinished(async () => {
        // The client does not wait for its stream items and client results: they are sent first.
        if (plain.state === HubConnectionState.Connected) await plain.invoke('Nothing').catch(() => {});
        await plain.stop();
      });
      return typed<Server, Client, HubConnection>(plain);
    },
  };
}

export { startTcpProxy };
