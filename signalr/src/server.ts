import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { memory } from './backplane/memory.ts';
import { systemClock } from './clock.ts';
import { HubController } from './control.ts';
import type { CorsOptions } from './http/cors.ts';
import { type Endpoint, serve, upgrade } from './http/endpoint.ts';
import type { Hub } from './hub.ts';
import { HubRuntime } from './runtime.ts';
import type { Connection } from './transport/connection.ts';
import { webSockets } from './transport/websocket.ts';
import type { Backplane, Clock, HubControl, Logger } from './types.ts';

const tickMs = 1_000;
/** How long after its turn a connection may go on with a running method before `drain` cuts it. */
const drainGraceMs = 5_000;

const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export interface HubServerOptions {
  readonly hubs: readonly Hub<unknown, unknown, unknown>[];
  readonly cors?: CorsOptions;
  /** Whether clients see the names and messages of unexpected errors. Default false. */
  readonly detailedErrors?: boolean;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly backplane?: Backplane;
}

export interface HubStats {
  readonly connections: number;
  readonly users: number;
  readonly groups: number;
  readonly negotiations: number;
  readonly invocations: number;
  readonly failures: number;
  readonly protocolErrors: number;
  readonly slow: number;
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
  /** Counts by hub path. */
  stats(): { readonly draining: boolean; readonly backplane: 'up' | 'down'; readonly hubs: Record<string, HubStats> };
}

/** Serves hubs; attach `request` and `upgrade` to a node:http server. */
export function createHubServer(options: HubServerOptions): HubServer {
  const { clock = systemClock, logger = silentLogger, detailedErrors = false, cors = { origins: [] } } = options;
  const backplane = options.backplane ?? memory();
  const byPath = new Map<string, Endpoint>();
  const byHub = new Map<unknown, HubRuntime>();
  let drainage: Drainage | undefined;

  const link = backplane.connect((topic, data) => {
    byPath.get(topic.slice(0, topic.indexOf('|')).toLowerCase())?.runtime.receiveRemote(data);
  });
  for (const hub of options.hubs) {
    const path = hub.path.toLowerCase();
    if (byPath.has(path)) throw new TypeError(`Two hubs have the path ${hub.path}.`);
    const runtime = new HubRuntime(hub.definition, { clock, logger, detailedErrors, backplane: link });
    byHub.set(hub, runtime);
    byPath.set(path, { runtime, cors, accept: webSockets(runtime.maxBytes), draining: () => drainage !== undefined });
  }
  const runtimes = [...byHub.values()];

  const ticking = clock.setInterval(() => {
    const now = clock.now();
    for (const runtime of runtimes) runtime.tick(now);
    drainage?.step(now);
  }, tickMs);

  const locate = (url: string) => {
    const mark = url.indexOf('?');
    const path = (mark === -1 ? url : url.slice(0, mark)).toLowerCase();
    const isNegotiation = path.endsWith('/negotiate');
    const endpoint = byPath.get(isNegotiation ? path.slice(0, -'/negotiate'.length) : path);
    return endpoint && { endpoint, isNegotiation, params: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)) };
  };

  return {
    request(request, response) {
      const found = locate(request.url ?? '');
      if (!found) return false;
      void serve(found.endpoint, found.isNegotiation, found.params, request, response);
      return true;
    },

    upgrade(request, socket, head) {
      const found = locate(request.url ?? '');
      if (!found || found.isNegotiation) return false;
      void upgrade(found.endpoint, found.params, request, socket, head);
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
      await Promise.all(runtimes.map((runtime) => runtime.close()));
      drainage?.step(Number.POSITIVE_INFINITY);
      await link.disconnect();
    },

    stats() {
      const hubs = runtimes.map((runtime): [string, HubStats] => [
        runtime.definition.path,
        {
          connections: runtime.active.size,
          users: runtime.users.size,
          groups: runtime.groups.size,
          negotiations: runtime.registry.unused,
          ...runtime.counters,
        },
      ]);
      return { draining: drainage !== undefined, backplane: backplane.state, hubs: Object.fromEntries(hubs) };
    },
  };
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
    for (const runtime of runtimes) runtime.onQuiet = () => this.#check();
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
    if (this.#runtimes.every((runtime) => runtime.quiet)) this.#finish();
  }
}
