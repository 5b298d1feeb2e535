import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  createHubServer,
  type DisconnectReason,
  type HubControl,
  type HubStats,
  hub,
  type StatefulReconnect,
  type Timings,
} from '@roomside/signalr';

/** The hub's methods for the pages. */
export interface Server {
  Echo(text: string): string;
  /** Runs until its caller disconnects. */
  Wait(): void;
}

export interface Client {
  Number(value: number): void;
}

/** A request that reached the hub. */
export interface Asked {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly origin: string | undefined;
  readonly cookie: string | undefined;
  /** For a preflight: the requested method. */
  readonly wants: string | undefined;
}

/** A token that the hub verified, and where the browser sent it. */
export interface Judged {
  readonly request: string;
  readonly token: string | undefined;
  readonly place: 'header' | 'query' | 'both' | 'nowhere';
}

export interface HubOptions {
  /** Origins that may connect besides the hub's. */
  readonly origins?: readonly string[];
  readonly timings?: Partial<Timings>;
  readonly statefulReconnect?: Partial<StatefulReconnect>;
  /** Tokens that are refused. */
  readonly refused?: readonly string[];
}

/** A hub on a separate port, and what it has recorded. */
export interface ServedHub {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly control: HubControl<Client, null>;
  readonly asked: readonly Asked[];
  readonly judged: readonly Judged[];
  /** The ids of all connections, and of those that resumed after a broken connection. */
  readonly connected: readonly string[];
  readonly resumed: readonly string[];
  /** Why connections ended. */
  readonly reasons: readonly DisconnectReason[];
  /** Calls of `Wait` that started, and those whose signal was aborted. */
  readonly waits: { begun: number; aborted: number };
  stats(): HubStats;
  /** Breaks the connections of all clients. */
  cut(): void;
  close(): Promise<void>;
}

/** Serves a hub at `/hub`. Each user is Anna; the query's `tab` is the identity of a connection. */
export async function serveHub(options: HubOptions = {}): Promise<ServedHub> {
  const { origins = [], timings = {}, statefulReconnect = {}, refused = [] } = options;
  const asked: Asked[] = [];
  const judged: Judged[] = [];
  const connected: string[] = [];
  const resumed: string[] = [];
  const reasons: DisconnectReason[] = [];
  const waits = { begun: 0, aborted: 0 };
  const definition = hub<Server, Client, null>({
    path: '/hub',
    timings,
    statefulReconnect,
    authenticate({ token, request }) {
      judged.push({ request: `${request.method} ${pathOf(request)}`, token, place: placeOf(request) });
      return token !== undefined && refused.includes(token) ? null : { userId: 'anna', claims: null };
    },
    identity: (ctx) => ctx.query.get('tab') ?? undefined,
    methods: {
      Echo: (_ctx, text) => text,
      async Wait({ signal }) {
        waits.begun++;
        if (!signal.aborted) await once(signal, 'abort');
        waits.aborted++;
      },
    },
    onConnected: (ctx) => void connected.push(ctx.connectionId),
    onResumed: (ctx) => void resumed.push(ctx.connectionId),
    onDisconnected: (_ctx, reason) => void reasons.push(reason),
  });
  const hubs = createHubServer({ hubs: [definition], cors: { origins } });
  const sockets = new Set<Socket>();
  const http = createServer((request, response) => {
    asked.push(described(request));
    if (!hubs.request(request, response)) response.writeHead(404).end();
  });
  http.on('upgrade', (request, socket, head) => {
    asked.push(described(request));
    if (!hubs.upgrade(request, socket, head)) socket.destroy();
  });
  http.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    asked,
    judged,
    connected,
    resumed,
    reasons,
    waits,
    port,
    cut,
    url: `http://127.0.0.1:${port}`,
    control: hubs.of(definition),
    stats: () => hubs.stats().hubs['/hub'] as HubStats,
    async close() {
      await hubs.close();
      cut();
      http.close();
    },
  };
}

const pathOf = ({ url = '' }: IncomingMessage) => url.replace(/\?.*/, '');

function described(request: IncomingMessage): Asked {
  const { origin, cookie, 'access-control-request-method': wants } = request.headers;
  return { method: request.method ?? '', path: pathOf(request), origin, cookie, wants };
}

function placeOf({ headers, url = '' }: IncomingMessage): Judged['place'] {
  const inQuery = /[?&]access_token=/i.test(url);
  if (headers.authorization === undefined) return inQuery ? 'query' : 'nowhere';
  return inQuery ? 'both' : 'header';
}
