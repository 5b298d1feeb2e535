import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Admission, type AdmissionOptions } from './admission.ts';
import { memory } from './backplane/memory.ts';
import { systemClock } from './clock.ts';
import { HubController } from './control.ts';
import type { CorsOptions } from './http/cors.ts';
import { type Route, serve } from './http/endpoint.ts';
import { Forwarder } from './http/forward.ts';
import type { Endpoint } from './http/hub-request.ts';
import { NodeAddresses } from './http/node-addresses.ts';
import { upgrade } from './http/upgrade.ts';
import type { Hub, HubFilter } from './hub.ts';
import { consoleLogger, LimitedLogger } from './logging.ts';
import { handleNodeRequest, type NodeRequest, Nodes } from './nodes.ts';
import { json } from './protocol/json.ts';
import type { Protocol } from './protocol/messages.ts';
import { HubRuntime } from './runtime.ts';
import type { Connection } from './session/connection.ts';
import { webSockets } from './transport/websocket.ts';
import type { Awaitable, Backplane, Clock, HubControl, Logger, TransportName } from './types.ts';

const tickMs = 1_000;
/** The number of ticks between announcements of this node's address. */
const announceTicks = 10;
/** No hub has this topic: hub topics begin with a path. */
const addressTopic = '|address';
/** How long connections may finish running methods before `drain` closes them. */
const drainTimeoutMs = 5_000;

export interface HubServerOptions {
  readonly hubs: readonly Hub<unknown, unknown, unknown>[];
  readonly cors?: CorsOptions;
  /** Whether clients see the names and messages of unexpected errors. Default false. */
  readonly detailedErrors?: boolean;
  readonly clock?: Clock;
  /** Default: warnings and errors on the console. Beyond 10 equal entries a second only their number is logged. */
  readonly logger?: Logger;
  /** Connects this node to others that serve the same hubs. */
  readonly backplane?: Backplane;
  /** The name of this node: letters, digits, `-` and `_`. Default: random. */
  readonly instance?: string;
  /** Where other nodes reach this one, such as `http://10.0.0.3:3000`. Without it the load balancer needs sticky sessions. */
  readonly address?: string | (() => string | undefined);
  /** Protocols besides JSON, such as `messagePack`. */
  readonly protocols?: readonly Protocol[];
  readonly admission?: Partial<AdmissionOptions>;
  /** Surround the methods and events of all hubs; the first is the outermost. */
  readonly filters?: readonly HubFilter[];
  /**
   * Returns the client's address. Default: the address of the socket. Behind a proxy, return the address from the proxy's header
   * (`X-Forwarded-For`), and trust only your own proxies. Clients without a user share admission and negotiations by address.
   */
  readonly clientAddress?: (request: IncomingMessage) => string;
}

export interface HubStats {
  readonly connections: number;
  /** Connections by transport; `none`: without a transport, waiting for a stateful reconnect. */
  readonly transports: Readonly<Record<TransportName | 'none', number>>;
  readonly users: number;
  readonly groups: number;
  readonly negotiations: number;
  readonly invocations: number;
  readonly failures: number;
  readonly protocolErrors: number;
  /** Transports on which no handshake arrived; for event streams usually because a proxy buffers them. */
  readonly handshakeTimeouts: number;
  readonly slow: number;
  readonly resumed: number;
  readonly replayed: number;
  readonly dropped: number;
  /** Milliseconds; undefined before the first measurement. */
  readonly roundTripP50: number | undefined;
  readonly roundTripP99: number | undefined;
}

export interface HubServer {
  /** A node:http request listener. Does nothing and returns false when the path is not a hub's. */
  request(request: IncomingMessage, response: ServerResponse): boolean;
  /** A node:http upgrade listener. Does nothing and returns false when the path is not a hub's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Returns a hub for use outside its methods. */
  of<Server, Client, Claims>(hub: Hub<Server, Client, Claims>): HubControl<Client, Claims>;
  /**
   * Refuses new connections and closes the others with `allowReconnect`, evenly over `overMs` (default 0), each after its running
   * methods. Resolves when all connections have ended and every `onDisconnected` has run.
   */
  drain(options?: { readonly overMs?: number }): Promise<void>;
  /** Closes all connections and stops the timer immediately. */
  close(): Promise<void>;
  /** Counts by hub path; `waiting`: requests that wait for admission. */
  stats(): {
    readonly draining: boolean;
    readonly backplane: 'up' | 'down';
    readonly waiting: number;
    readonly hubs: Record<string, HubStats>;
  };
}

/** Creates a server for hubs; attach `request` and `upgrade` to a node:http server. */
export function createHubServer(options: HubServerOptions): HubServer {
  const { clock = systemClock, detailedErrors = false, cors = { origins: [] }, filters = [] } = options;
  const logger = new LimitedLogger(options.logger ?? consoleLogger);
  const backplane = options.backplane ?? memory();
  const byPath = new Map<string, Endpoint>();
  const byHub = new Map<unknown, HubRuntime>();
  let drain: Drain | undefined;

  const instance = options.instance ?? randomBytes(6).toString('base64url');
  if (!/^[\w-]{1,64}$/.test(instance)) throw new TypeError(`Not a name for a node: ${instance}`);
  const protocols = new Map(
    [json, ...(options.protocols ?? [])].map((protocol) => [protocol.name.toLowerCase(), protocol]),
  );
  const link = backplane.connect(instance, {
    receive(topic, data) {
      if (topic === addressTopic) return onAddress(data);
      const separator = topic.indexOf('|');
      byPath.get(topic.slice(0, separator).toLowerCase())?.runtime.receiveRemote(topic.slice(separator + 1), data);
    },
    answer: (data) => handleNodeRequest(data, onNodeRequest),
  });
  const address = () => (typeof options.address === 'function' ? options.address() : options.address) ?? '';
  const onNodeRequest = (request: NodeRequest): unknown => {
    if (request.kind === 'address') return address();
    const found = byPath.get(request.path.toLowerCase());
    if (!found) throw new Error(`This node does not serve ${request.path}.`);
    return found.runtime.delivery.handleNodeRequest(request);
  };
  const nodes = new Nodes(link, instance);
  const admission = new Admission(clock, options.admission);
  const addresses = new NodeAddresses((other) => nodes.address(other));
  const forwarder = new Forwarder(instance, addresses, logger);
  /** Publishes this node's address, so that other nodes know it while the backplane is down. */
  const announce = () => {
    const ownAddress = address();
    if (link.isSingleNode || !ownAddress) return;
    runAndLog(() => link.publish(addressTopic, Buffer.from(JSON.stringify({ instance, address: ownAddress }))));
  };
  const onAddress = (data: Uint8Array) => {
    const other = JSON.parse(Buffer.from(data).toString()) as { instance: string; address: string };
    const isNew = !addresses.has(other.instance);
    addresses.learn(other.instance, other.address);
    // A node that has just started does not know this node's address.
    if (isNew) announce();
  };
  const runAndLog = (work: () => Awaitable<void>) => {
    (async () => work())().catch((err) => logger.error({ err }, 'backplane failed'));
  };
  runAndLog(() => link.subscribe(addressTopic));
  const environment = { clock, logger, detailedErrors, backplane: link, instance, protocols, nodes, filters };
  const addressOf = options.clientAddress ?? ((request: IncomingMessage) => request.socket.remoteAddress ?? '');
  for (const hub of options.hubs) {
    const path = hub.path.toLowerCase();
    if (byPath.has(path)) throw new TypeError(`Two hubs have the path ${hub.path}.`);
    const runtime = new HubRuntime(hub.definition, environment);
    byHub.set(hub, runtime);
    const accept = webSockets(runtime.maxPayload);
    const isDraining = () => drain !== undefined;
    byPath.set(path, { runtime, cors, accept, admission, forwarder, addressOf, isDraining });
  }
  const runtimes = [...byHub.values()];

  let untilAnnounced = 1;
  const ticking = clock.setInterval(() => {
    if (--untilAnnounced === 0) {
      untilAnnounced = announceTicks;
      runAndLog(announce);
      addresses.removeOld();
    }
    const now = clock.now();
    for (const runtime of runtimes) runtime.tick(now);
    drain?.step(now);
    logger.tick();
  }, tickMs);

  const findRoute = (request: IncomingMessage) => {
    const url = request.url ?? '';
    const separator = url.indexOf('?');
    // A trailing slash is ignored, as in ASP.NET Core.
    const path = (separator === -1 ? url : url.slice(0, separator)).toLowerCase().replace(/(?<=.)\/$/, '');
    const last = path.slice(path.lastIndexOf('/') + 1);
    const route: Route = last === 'negotiate' || last === 'refresh' ? last : 'hub';
    const endpoint = byPath.get(route === 'hub' ? path : path.slice(0, -last.length - 1));
    const params = () => new URLSearchParams(separator === -1 ? '' : url.slice(separator + 1));
    return endpoint && { hubRequest: { endpoint, request, params: params() }, route };
  };

  return {
    request(request, response) {
      const found = findRoute(request);
      if (!found) return false;
      void serve(found.hubRequest, found.route, response);
      return true;
    },

    upgrade(request, socket, head) {
      const found = findRoute(request);
      if (found?.route !== 'hub') return false;
      void upgrade(found.hubRequest, socket, head);
      return true;
    },

    of<Server, Client, Claims>(hub: Hub<Server, Client, Claims>) {
      const runtime = byHub.get(hub);
      if (!runtime) throw new TypeError(`This server does not serve ${hub.path}.`);
      return new HubController(runtime) as unknown as HubControl<Client, Claims>;
    },

    drain({ overMs = 0 } = {}) {
      drain ??= new Drain(runtimes, clock.now(), overMs);
      drain.step(clock.now());
      return drain.done;
    },

    async close() {
      clock.clearInterval(ticking);
      admission.close();
      logger.tick();
      forwarder.close();
      await Promise.all(runtimes.map((runtime) => runtime.close()));
      drain?.step(Number.POSITIVE_INFINITY);
      await link.disconnect();
    },

    stats() {
      const hubs = runtimes.map((runtime): [string, HubStats] => [
        runtime.definition.path,
        {
          connections: runtime.delivery.active.size,
          transports: byTransport(runtime.delivery.active.values()),
          users: runtime.delivery.users.size,
          groups: runtime.delivery.groups.size,
          negotiations: runtime.registry.unused,
          ...runtime.counters,
          roundTripP50: runtime.roundTrips.quantile(0.5),
          roundTripP99: runtime.roundTrips.quantile(0.99),
        },
      ]);
      return {
        draining: drain !== undefined,
        backplane: backplane.state,
        waiting: admission.waiting,
        hubs: Object.fromEntries(hubs),
      };
    },
  };
}

function byTransport(connections: Iterable<Connection>): HubStats['transports'] {
  const counts = { WebSockets: 0, ServerSentEvents: 0, LongPolling: 0, none: 0 };
  for (const { transport } of connections) counts[transport?.name ?? 'none']++;
  return counts;
}

/** Closes connections evenly over a period, so that their clients do not all reconnect at the same time. */
class Drain {
  readonly done: Promise<void>;
  readonly #finish: () => void;
  readonly #runtimes: readonly HubRuntime[];
  readonly #start: number;
  readonly #overMs: number;
  readonly #waiting: Connection[];
  #closedCount = 0;

  constructor(runtimes: readonly HubRuntime[], start: number, overMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#finish = resolve;
    this.#runtimes = runtimes;
    this.#start = start;
    this.#overMs = overMs;
    this.#waiting = runtimes.flatMap((runtime) => runtime.live());
    for (const runtime of runtimes) runtime.onIdle = () => this.#check();
  }

  step(now: number): void {
    const elapsed = now - this.#start;
    const share = this.#overMs <= 0 ? 1 : Math.min(1, elapsed / this.#overMs);
    const due = Math.ceil(this.#waiting.length * share);
    for (; this.#closedCount < due; this.#closedCount++) {
      this.#waiting[this.#closedCount]?.endWhenIdle({ allowReconnect: true, reason: 'shutdown' });
    }
    if (elapsed >= this.#overMs + drainTimeoutMs) {
      for (const runtime of this.#runtimes) {
        for (const connection of runtime.live()) connection.end({ allowReconnect: true, reason: 'shutdown' });
      }
    }
    this.#check();
  }

  #check(): void {
    if (this.#runtimes.every((runtime) => runtime.isIdle)) this.#finish();
  }
}
