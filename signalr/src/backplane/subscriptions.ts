/** What takes and drops subscriptions; both end when the server has done it, and reject when the line is lost. */
export interface Subscribing {
  subscribe(key: string): Promise<void>;
  unsubscribe(key: string): Promise<void>;
}

/**
 * Brings what one line is subscribed to in accordance with what is wanted, one command at a time for each key: however quickly the
 * wish changes, the last one holds.
 */
export class Subscriptions {
  readonly #wire: Subscribing;
  readonly #wanted: (key: string) => boolean;
  readonly #held = new Set<string>();
  readonly #working = new Map<string, Promise<void>>();

  constructor(wire: Subscribing, wanted: (key: string) => boolean) {
    this.#wire = wire;
    this.#wanted = wanted;
  }

  /** Ends when the key is as wanted. */
  settle(key: string): Promise<void> | void {
    const working = this.#working.get(key);
    if (working) return working;
    if (this.#wanted(key) === this.#held.has(key)) return undefined;
    const work = this.#work(key);
    this.#working.set(key, work);
    return work;
  }

  async #work(key: string): Promise<void> {
    try {
      for (let wanted = this.#wanted(key); wanted !== this.#held.has(key); wanted = this.#wanted(key)) {
        if (wanted) {
          await this.#wire.subscribe(key);
          this.#held.add(key);
        } else {
          await this.#wire.unsubscribe(key);
          this.#held.delete(key);
        }
      }
    } finally {
      // In the same turn as the last look at the wish: a later change starts anew.
      this.#working.delete(key);
    }
  }
}
