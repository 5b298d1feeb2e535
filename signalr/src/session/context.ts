import { safeAbortController } from '../application-code.ts';
import type { Awaitable, CallerAudience, ConnectRequest, Context, OwnGroups, TransportName } from '../types.ts';
import { readHeaders } from './connect-request.ts';
import type { Connection } from './connection.ts';

/** What the context of a connection needs of its hub. */
export interface ContextHost {
  join(connection: Connection, group: string): Awaitable<void>;
  leave(connection: Connection, group: string): Awaitable<void>;
  audienceOf(connection: Connection): CallerAudience<object>;
}

/** The groups of one connection. */
class ConnectionGroups implements OwnGroups {
  readonly #connection: Connection;
  readonly #host: ContextHost;

  constructor(connection: Connection, host: ContextHost) {
    this.#connection = connection;
    this.#host = host;
  }

  add(name: string): Awaitable<void> {
    return this.#host.join(this.#connection, name);
  }

  remove(name: string): Awaitable<void> {
    return this.#host.leave(this.#connection, name);
  }

  has(name: string): boolean {
    return this.#connection.groups?.has(name) ?? false;
  }

  names(): string[] {
    return [...(this.#connection.groups ?? [])];
  }
}

/** The context of hub methods. Rarely used parts are created on first use. A stream has its own context with its own signal. */
export class HubContext implements Context<object, unknown> {
  readonly #connection: Connection;
  readonly #host: ContextHost;
  readonly #whole: HubContext | undefined;
  readonly #signal: (() => AbortSignal) | undefined;
  #items: Map<string, unknown> | undefined;
  #groups: OwnGroups | undefined;
  #clients: CallerAudience<object> | undefined;

  constructor(connection: Connection, host: ContextHost, stream?: { whole: HubContext; signal: () => AbortSignal }) {
    this.#connection = connection;
    this.#host = host;
    this.#whole = stream?.whole;
    this.#signal = stream?.signal;
  }

  get connectionId(): string {
    return this.#connection.id;
  }

  get userId(): string | undefined {
    return this.#connection.user.userId;
  }

  get claims(): unknown {
    return this.#connection.user.claims;
  }

  get query(): URLSearchParams {
    // Created on each use: kept, it would need a tenth of the memory of an idle connection.
    return new URLSearchParams(this.#connection.search);
  }

  get request(): ConnectRequest {
    const { headers, address } = this.#connection;
    return { headers: readHeaders(headers), address, query: this.query };
  }

  get transport(): TransportName {
    return this.#connection.transport?.name ?? 'WebSockets';
  }

  get protocol(): string {
    return this.#connection.protocol?.name ?? 'json';
  }

  get lastSeen(): number {
    return this.#connection.lastSeen;
  }

  get items(): Map<string, unknown> {
    if (this.#whole) return this.#whole.items;
    this.#items ??= new Map();
    return this.#items;
  }

  get signal(): AbortSignal {
    if (this.#signal) return this.#signal();
    const connection = this.#connection;
    if (!connection.abortController) {
      connection.abortController = safeAbortController(connection.abortFailed);
      if (connection.state.kind === 'disposed') connection.abortController.abort();
    }
    return connection.abortController.signal;
  }

  get groups(): OwnGroups {
    this.#groups ??= new ConnectionGroups(this.#connection, this.#host);
    return this.#groups;
  }

  get clients(): CallerAudience<object> {
    this.#clients ??= this.#host.audienceOf(this.#connection);
    return this.#clients;
  }

  abort(): void {
    this.#connection.end({ reason: 'closed' });
  }
}
