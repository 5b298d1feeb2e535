import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Admission, type AdmissionOptions } from './admission.ts';
import { memory } from './backplane/memory.ts';
import { systemClock } from './clock.ts';
import { HubController } from './control.ts';
import { Addresses } from './http/addresses.ts';
import type { CorsOptions } from './http/cors.ts';
import { type Route, serve } from './http/endpoint.ts';
import { Forwarder } from './http/forward.ts';
import type { Endpoint } from './http/hub-request.ts';
import { upgrade } from './http/upgrade.ts';
import type { Hub } from './hub.ts';
import { consoleLogger, LimitedLogger } from './logging.ts';
import { answerNode, type NodeRequest, Nodes } from './nodes.ts';
import { json } from './protocol/json.ts';
import type { Protocol } from './protocol/messages.ts';
import { HubRuntime } from './runtime.ts';
import type { Connection } from './session/connection.ts';
import { webSockets } from './transport/websocket.ts';
import type { Awaitable, Backplane, Clock, HubControl, Logger, TransportName } from './types.ts';

const tickMs = 1_000;
/** Every so many ticks a process tells the others where it is. No hub has this topic. */
const announceTicks = 10;
const addressTopic = '|address';
/** How long after its turn a connection may go on with a running method before `drain` cuts it. */
const drainGraceMs = 5_000;

export interface HubServerOptions {
  readonly hubs: readonly Hub<unknown, unknown, unknown>[];
  readonly cors?: CorsOptions;
  /** Whether clients see the names and messages of unexpected errors. Default false. */
  readonly detailedErrors?: boolean;
  readonly clock?: Clock;
  /** Default: warnings and errors on the console. Of what repeats itself more than 10 times a second only the number is logged. */
  readonly logger?: Logger;
  /** Joins this process to others that serve the same hubs. */
  readonly backplane?: Backplane;
  /** The name of this process among them: letters, digits, `-` and `_`. Random unless given. */
  readonly instance?: string;
  /** Where the others reach this process, such as `http://10.0.0.3:3000`. Without it a balancer must keep each client on one process. */
  readonly address?: string | (() => string | undefined);
  /** Besides JSON, such as `messagePack` of the sub-export. */
  readonly protocols?: readonly Protocol[];
  readonly admission?: Partial<AdmissionOptions>;
  /**
   * Where a request comes from. Default: the address of its socket. Behind a proxy, return what the proxy says (`X-Forwarded-For`),
   * and only what a proxy of yours says. Addresses share what clients without a user compete for: admission and negotiations.
   */
  readonly clientAddress?: (request: IncomingMessage) => string;
}

export interface HubStats {
  readonly connections: number;
  /** Connections by transport; `none`: those whose line is broken and that may be resumed. */
  readonly transports: Readonly<Record<TransportName | 'none', number>>;
  readonly users: number;
  readonly groups: number;
  readonly negotiations: number;
  readonly invocations: number;
  readonly failures: number;
  readonly protocolErrors: number;
  /** Transports that were opened but never used: of event streams, mostly, because a proxy keeps them back. */
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
  /** A node:http request listener. Returns false, and does nothing, when the path is not a hub's. */
  request(request: IncomingMessage, response: ServerResponse): boolean;
  /** A node:http upgrade listener. Returns false, and leaves the socket alone, when the path is not a hub's. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** The connections of a hub, from outside its methods. */
  of<Server, Client, Claims>(hub: Hub<Server, Client, Claims>): HubControl<Client, Claims>;
  /**
   * Refuses new connections and asks the present ones to reconnect, evenly over `overMs` (default 0), each after its running
   * methods. Resolves when all are gone and every `onDisconnected` is done.
   */
  drain(options?: { readonly overMs?: number }): Promise<void>;
  /** Ends all connections and the clock's interval at once. */
  close(): Promise<void>;
  /** Counts by hub path; `waiting`: newcomers that the admission makes wait. */
  stats(): {
    readonly draining: boolean;
    readonly backplane: 'up' | 'down';
    readonly waiting: number;
    readonly hubs: Record<string, HubStats>;
  };
}

/** Serves hubs; attach `request` and `upgrade` to a node:http server. */
export function createHubServer(options: HubServerOptions): HubServer {
  const { clock = systemClock, detailedErrors = false, cors = { origins: [] } } = options;
  const logger = new LimitedLogger(options.logger ?? consoleLogger);
  const backplane = options.backplane ?? memory();
  const byPath = new Map<string, Endpoint>();
  const byHub = new Map<unknown, HubRuntime>();
  let drainage: Drainage | undefined;

  const instance = options.instance ?? randomBytes(6).toString('base64url');
  if (!/^[\w-]{1,64}$/.test(instance)) throw new TypeError(`Not a name for a process: ${instance}`);
  const protocols = new Map(
    [json, ...(options.protocols ?? [])].map((protocol) => [protocol.name.toLowerCase(), protocol]),
  );
  const link = backplane.connect(instance, {
    receive(topic, data) {
      if (topic === addressTopic) return heard(data);
      const mark = topic.indexOf('|');
      byPath.get(topic.slice(0, mark).toLowerCase())?.runtime.receiveRemote(topic.slice(mark + 1), data);
    },
    answer: (data) => answerNode(data, answer),
  });
  const address = () => (typeof options.address === 'function' ? options.address() : options.address) ?? '';
  const answer = (question: NodeRequest): unknown => {
    if (question.ask === 'address') return address();
    const found = byPath.get(question.path.toLowerCase());
    if (!found) throw new Error(`This process does not serve ${question.path}.`);
    return found.runtime.answer(question);
  };
  const peers = new Nodes(link, instance);
  const admission = new Admission(clock, options.admission);
  const addresses = new Addresses((other) => peers.address(other));
  const forwarder = new Forwarder(instance, addresses, logger);
  /** Tells the others where this process is, so that they know when they cannot ask. */
  const announce = () => {
    const own = address();
    if (link.isSingleNode || !own) return;
    quietly(() => link.publish(addressTopic, Buffer.from(JSON.stringify({ instance, address: own }))));
  };
  const heard = (data: Uint8Array) => {
    const other = JSON.parse(Buffer.from(data).toString()) as { instance: string; address: string };
    const isNew = !addresses.has(other.instance);
    addresses.learn(other.instance, other.address);
    // A process that has just come has not heard where this one is.
    if (isNew) announce();
  };
  const quietly = (work: () => Awaitable<void>) => {
    (async () => work())().catch((err) => logger.error({ err }, 'backplane failed'));
  };
  quietly(() => link.subscribe(addressTopic));
  const environment = { clock, logger, detailedErrors, backplane: link, instance, protocols, peers };
  const addressOf = options.clientAddress ?? ((request: IncomingMessage) => request.socket.remoteAddress ?? '');
  for (const hub of options.hubs) {
    const path = hub.path.toLowerCase();
    if (byPath.has(path)) throw new TypeError(`Two hubs have the path ${hub.path}.`);
    const runtime = new HubRuntime(hub.definition, environment);
    byHub.set(hub, runtime);
    const accept = webSockets(runtime.maxPayload);
    const draining = () => drainage !== undefined;
    byPath.set(path, { runtime, cors, accept, admission, forwarder, addressOf, draining });
  }
  const runtimes = [...byHub.values()];

  let untilAnnounced = 1;
  const ticking = clock.setInterval(() => {
    if (--untilAnnounced === 0) {
      untilAnnounced = announceTicks;
      quietly(announce);
      addresses.tidy();
    }
    const now = clock.now();
    for (const runtime of runtimes) runtime.tick(now);
    drainage?.step(now);
    logger.tick();
  }, tickMs);

  const locate = (request: IncomingMessage) => {
    const url = request.url ?? '';
    const mark = url.indexOf('?');
    // A slash at the end makes no difference, as in ASP.NET Core.
    const path = (mark === -1 ? url : url.slice(0, mark)).toLowerCase().replace(/(?<=.)\/$/, '');
    const last = path.slice(path.lastIndexOf('/') + 1);
    const route: Route = last === 'negotiate' || last === 'refresh' ? last : 'hub';
    const endpoint = byPath.get(route === 'hub' ? path : path.slice(0, -last.length - 1));
    const params = () => new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
    return endpoint && { asked: { endpoint, request, params: params() }, route };
  };

  return {
    request(request, response) {
      const found = locate(request);
      if (!found) return false;
      void serve(found.asked, found.route, response);
      return true;
    },

    upgrade(request, socket, head) {
      const found = locate(request);
      if (found?.route !== 'hub') return false;
      void upgrade(found.asked, socket, head);
      return true;
    },

    of<Server, Client, Claims>(hub: Hub<Server, Client, Claims>) {
      const runtime = byHub.get(hub);
      if (!runtime) throw new TypeError(`This server does not serve ${hub.path}.`);
      return new HubController(runtime) as unknown as HubControl<Client, Claims>;
    },

    drain({ overMs = 0 } = {}) {
      drainage ??= new Drainage(runtimes, clock.now(), overMs);
      drainage.step(clock.now());
      return drainage.done;
    },

    async close() {
      clock.clearInterval(ticking);
      admission.close();
      logger.tick();
      forwarder.close();
      await Promise.all(runtimes.map((runtime) => runtime.close()));
      drainage?.step(Number.POSITIVE_INFINITY);
      await link.disconnect();
    },

    stats() {
      const hubs = runtimes.map((runtime): [string, HubStats] => [
        runtime.definition.path,
        {
          connections: runtime.active.size,
          transports: byTransport(runtime.active.values()),
          users: runtime.users.size,
          groups: runtime.groups.size,
          negotiations: runtime.registry.unused,
          ...runtime.counters,
          roundTripP50: runtime.roundTrips.quantile(0.5),
          roundTripP99: runtime.roundTrips.quantile(0.99),
        },
      ]);
      return {
        ...{ draining: drainage !== undefined, backplane: backplane.state, waiting: admission.waiting },
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

/** Sends connections away evenly over a time, so that they do not all come back in the same moment. */
class Drainage {
  readonly done: Promise<void>;
  readonly #finish: () => void;
  readonly #runtimes: readonly HubRuntime[];
  readonly #start: number;
  readonly #overMs: number;
  readonly #waiting: Connection[];
  #sent = 0;

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
    for (; this.#sent < due; this.#sent++) {
      this.#waiting[this.#sent]?.endWhenIdle({ allowReconnect: true, reason: 'shutdown' });
    }
    if (elapsed >= this.#overMs + drainGraceMs) {
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
