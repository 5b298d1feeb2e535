import type { Connection } from '../transport/connection.ts';
import type { CallerAudience, Context, OwnGroups, TransportName } from '../types.ts';

/** The groups and receivers that a hub offers to the context of a connection. */
export interface ContextHost {
  join(connection: Connection, group: string): void | Promise<void>;
  leave(connection: Connection, group: string): void | Promise<void>;
  audienceOf(connection: Connection): CallerAudience<object>;
}

/** The caller, as methods see it. What is rarely used is made on first use. A stream has a context with its own signal. */
export class HubContext implements Context<object, unknown> {
  readonly #connection: Connection;
  readonly #host: ContextHost;
  readonly #whole: HubContext | undefined;
  readonly #signal: (() => AbortSignal) | undefined;
  #query: URLSearchParams | undefined;
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
    return this.#connection.who.userId;
  }

  get claims(): unknown {
    return this.#connection.who.claims;
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#connection.search);
    return this.#query;
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
    if (!connection.abortion) {
      connection.abortion = new AbortController();
      if (connection.state === 'disposed') connection.abortion.abort();
    }
    return connection.abortion.signal;
  }

  get groups(): OwnGroups {
    const connection = this.#connection;
    const host = this.#host;
    this.#groups ??= {
      add: (name) => host.join(connection, name),
      remove: (name) => host.leave(connection, name),
      has: (name) => connection.groups?.has(name) ?? false,
      names: () => [...(connection.groups ?? [])],
    };
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
