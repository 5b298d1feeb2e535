import type { Limits } from '../hub.ts';
import type { Connection } from './connection.ts';
import type { PollingTransport } from './transport.ts';
import { Unused } from './unused.ts';

/** A connection that is over, though its client has yet to fetch the end of it. */
interface Leaving {
  readonly connection: Connection;
  readonly transport: PollingTransport;
  readonly until: number;
}

/** The connections of a hub by their secret token, and how many are negotiated but not used yet (SPEC.md, N rules). */
export class Registry {
  readonly #byToken = new Map<string, Connection>();
  readonly #unused = new Unused();
  readonly #leaving = new Map<string, Leaving>();

  get unused(): number {
    return this.#unused.size;
  }

  find(token: string): Connection | undefined {
    return this.#byToken.get(token);
  }

  /**
   * Makes room for one more negotiation of a user or address. Only where there is none, an unused one is disposed: the oldest of the
   * holder of the greatest number, so that many of one address never cost those of another. Returns false when no other holds more than
   * this newcomer would.
   */
  freeQuota(quotaKey: string, { negotiationsPerUser, negotiations }: Limits): boolean {
    const own = this.#unused.count(quotaKey);
    if (own < negotiationsPerUser && this.#unused.size < negotiations) return true;
    const { holder, count } = this.#unused.largest;
    const from = own < negotiationsPerUser && count > own + 1 ? holder : quotaKey;
    const oldest = this.#unused.oldest(from);
    oldest?.dispose('timeout');
    return oldest !== undefined;
  }

  /** Adds a negotiated connection. */
  add(connection: Connection): void {
    this.#unused.add(connection);
    this.#byToken.set(connection.token, connection);
  }

  /** The connection has its transport: it counts no longer as unused. */
  use(connection: Connection): void {
    this.#unused.delete(connection);
  }

  leaving(token: string): Leaving | undefined {
    return this.#leaving.get(token);
  }

  /** The client of a connection that is over may fetch the rest until then. */
  leave(connection: Connection, transport: PollingTransport, until: number): void {
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
