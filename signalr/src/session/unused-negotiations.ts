import type { Connection } from './connection.ts';

/** Negotiated connections without a transport, counted by holder: a user or an address. */
export class UnusedNegotiations {
  /** In order of expiry. */
  readonly #all = new Set<Connection>();
  /** By holder, the oldest first. */
  readonly #of = new Map<string, Set<Connection>>();
  /** The holders by their number of connections. */
  readonly #byCount: Set<string>[] = [];
  #max = 0;

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#all.values();
  }

  count(holder: string): number {
    return this.#of.get(holder)?.size ?? 0;
  }

  /** Returns the oldest negotiation of a holder. */
  oldest(holder: string): Connection | undefined {
    return this.#of.get(holder)?.values().next().value;
  }

  /** A holder with the most negotiations, and their number. */
  get largest(): { readonly holder: string; readonly count: number } {
    const [holder = ''] = this.#byCount[this.#max] ?? [];
    return { holder, count: this.#max };
  }

  add(connection: Connection): void {
    const { quotaKey } = connection;
    let own = this.#of.get(quotaKey);
    if (!own) this.#of.set(quotaKey, (own = new Set()));
    own.add(connection);
    this.#all.add(connection);
    this.#move(quotaKey, own.size - 1, own.size);
  }

  /** Returns whether it was an unused negotiation. */
  delete(connection: Connection): boolean {
    if (!this.#all.delete(connection)) return false;
    const { quotaKey } = connection;
    const own = this.#of.get(quotaKey);
    own?.delete(connection);
    const count = own?.size ?? 0;
    if (count === 0) this.#of.delete(quotaKey);
    this.#move(quotaKey, count + 1, count);
    return true;
  }

  #move(holder: string, from: number, to: number): void {
    this.#byCount[from]?.delete(holder);
    if (to > 0) (this.#byCount[to] ??= new Set()).add(holder);
    if (to > this.#max) this.#max = to;
    else if (this.#byCount[this.#max]?.size === 0) this.#max = to;
  }
}
