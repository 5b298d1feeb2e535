import type { Limits } from '../hub.ts';
import type { Connection } from './connection.ts';
import type { PollingTransport } from './transport.ts';
import { UnusedNegotiations } from './unused-negotiations.ts';

/** A long-polling connection that has ended, but whose client has not polled the last messages. */
interface LastPoll {
  readonly connection: Connection;
  readonly transport: PollingTransport;
  readonly until: number;
}

/** The connections of a hub by their secret token, and the unused negotiations (SPEC.md, N rules). */
export class Registry {
  readonly #byToken = new Map<string, Connection>();
  readonly #unused = new UnusedNegotiations();
  readonly #lastPolls = new Map<string, LastPoll>();

  get unused(): number {
    return this.#unused.size;
  }

  find(token: string): Connection | undefined {
    return this.#byToken.get(token);
  }

  /**
   * Makes room for one more negotiation of a user or address. At a limit an unused negotiation is disposed: the oldest of the holder
   * with the most, so that many negotiations of one address do not displace those of another. Returns false when there is none to dispose.
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

  /** The connection has started its transport and is no longer an unused negotiation. */
  use(connection: Connection): void {
    this.#unused.delete(connection);
  }

  lastPoll(token: string): LastPoll | undefined {
    return this.#lastPolls.get(token);
  }

  /** Lets the client of an ended connection poll the last messages until this time. */
  addLastPoll(connection: Connection, transport: PollingTransport, until: number): void {
    this.#lastPolls.set(connection.token, { connection, transport, until });
  }

  removeLastPoll(token: string): void {
    this.#lastPolls.delete(token);
  }

  remove(connection: Connection): void {
    this.use(connection);
    this.#byToken.delete(connection.token);
  }

  expire(now: number): void {
    for (const [token, { until }] of this.#lastPolls) {
      if (now < until) break;
      this.#lastPolls.delete(token);
    }
    for (const connection of this.#unused) {
      if (connection.state.kind === 'negotiated' && now < connection.state.deadline) return;
      connection.dispose('timeout');
    }
  }

  clear(): void {
    for (const connection of this.#unused) connection.dispose('shutdown');
    for (const { transport } of this.#lastPolls.values()) transport.destroy();
    this.#lastPolls.clear();
  }
}
