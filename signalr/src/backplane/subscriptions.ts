/** Subscribes and unsubscribes. Both resolve when the broker has confirmed, and reject when the connection is lost. */
export interface Subscriber {
  subscribe(key: string): Promise<void>;
  unsubscribe(key: string): Promise<void>;
}

/**
 * Keeps the subscriptions of one broker connection equal to the wanted ones. Commands for one key run one after the other, so that the
 * last change decides.
 */
export class Subscriptions {
  readonly #broker: Subscriber;
  readonly #wanted: (key: string) => boolean;
  readonly #active = new Set<string>();
  readonly #pending = new Map<string, Promise<void>>();

  constructor(broker: Subscriber, wanted: (key: string) => boolean) {
    this.#broker = broker;
    this.#wanted = wanted;
  }

  /** Resolves when the key is subscribed or unsubscribed as wanted; undefined: it already is. */
  update(key: string): Promise<void> | void {
    const pending = this.#pending.get(key);
    if (pending) return pending;
    if (this.#wanted(key) === this.#active.has(key)) return undefined;
    const work = this.#work(key);
    this.#pending.set(key, work);
    return work;
  }

  async #work(key: string): Promise<void> {
    try {
      for (let wanted = this.#wanted(key); wanted !== this.#active.has(key); wanted = this.#wanted(key)) {
        if (wanted) {
          await this.#broker.subscribe(key);
          this.#active.add(key);
        } else {
          await this.#broker.unsubscribe(key);
          this.#active.delete(key);
        }
      }
    } finally {
      // Synchronous with the last check, so that a later change starts a new run.
      this.#pending.delete(key);
    }
  }
}
