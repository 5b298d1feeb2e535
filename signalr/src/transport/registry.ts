import type { Connection } from './connection.ts';
import type { LongPollingTransport } from './long-polling.ts';

/** A connection that is over, though its client has yet to fetch the end of it. */
interface Leaving {
  readonly connection: Connection;
  readonly transport: LongPollingTransport;
  readonly until: number;
}

/** The connections of a hub by their secret token, and how many are negotiated but not used yet (SPEC.md, N rules). */
export class Registry {
  readonly #byToken = new Map<string, Connection>();
  /** In the order of their expiry. */
  readonly #unused = new Set<Connection>();
  readonly #unusedOf = new Map<string, Set<Connection>>();
  readonly #leaving = new Map<string, Leaving>();

  get unused(): number {
    return this.#unused.size;
  }

  find(token: string): Connection | undefined {
    return this.#byToken.get(token);
  }

  /** Adds a negotiated connection. The oldest unused one of the same user or address makes room beyond `perUser`. */
  add(connection: Connection, perUser: number): void {
    const mine = this.#unusedOf.get(connection.quotaKey) ?? new Set();
    if (mine.size >= perUser)
      for (const oldest of mine) {
        oldest.dispose('timeout');
        break;
      }
    this.#unusedOf.set(connection.quotaKey, mine.add(connection));
    this.#unused.add(connection);
    this.#byToken.set(connection.token, connection);
  }

  /** The connection has its transport: it counts no longer as unused. */
  use(connection: Connection): void {
    if (!this.#unused.delete(connection)) return;
    const mine = this.#unusedOf.get(connection.quotaKey);
    mine?.delete(connection);
    if (mine?.size === 0) this.#unusedOf.delete(connection.quotaKey);
  }

  leaving(token: string): Leaving | undefined {
    return this.#leaving.get(token);
  }

  /** The client of a connection that is over may fetch the rest until then. */
  leave(connection: Connection, transport: LongPollingTransport, until: number): void {
    this.#leaving.set(connection.token, { connection, transport, until });
  }

  left(token: string): void {
    this.#leaving.delete(token);
  }

  remove(connection: Connection): void {
    this.use(connection);
    this.#byToken.delete(connection.token);
  }

  expire(now: number): void {
    for (const [token, { until }] of this.#leaving) {
      if (now < until) break;
      this.#leaving.delete(token);
    }
    for (const connection of this.#unused) {
      if (now < connection.deadline) return;
      connection.dispose('timeout');
    }
  }

  clear(): void {
    for (const connection of this.#unused) connection.dispose('shutdown');
    for (const { transport } of this.#leaving.values()) transport.destroy();
    this.#leaving.clear();
  }
}
