import { failure } from '../backplane/requests.ts';

/** The age at which an address is refreshed, ms. */
const maxAgeMs = 30_000;
/** The minimum time between a failed refresh and the next one, ms. */
const retryMs = 2_000;
/** A node that is not on the backplane may be reconnecting to it: its address is kept for this time, ms. */
const absentTimeoutMs = 60_000;

interface KnownAddress {
  readonly address: string;
  /** When the node last announced this address or responded there, as `performance.now()`. */
  confirmedAt: number;
  refreshAt: number;
  /** Whether the last attempt to connect there failed. */
  hasFailed: boolean;
}

/**
 * The addresses of other nodes. Nodes announce them regularly and are asked for them otherwise. While the backplane is down the last
 * known address is used, so that clients do not depend on the backplane.
 */
export class NodeAddresses {
  readonly #ask: (instance: string) => Promise<string>;
  readonly #known = new Map<string, KnownAddress>();
  readonly #refreshing = new Map<string, Promise<string>>();

  /** `ask` requests the address from the node; an empty string means that it has none. */
  constructor(ask: (instance: string) => Promise<string>) {
    this.#ask = ask;
  }

  has(instance: string): boolean {
    return this.#known.has(instance);
  }

  /** A node has announced its address. */
  learn(instance: string, address: string): void {
    const now = performance.now();
    if (address === '') this.#known.delete(instance);
    else this.#known.set(instance, { address, confirmedAt: now, refreshAt: now + maxAgeMs, hasFailed: false });
  }

  /** Returns the address of a node; empty when it is not known. */
  async of(instance: string): Promise<string> {
    const known = this.#known.get(instance);
    if (known && !known.hasFailed) {
      // An old address is usually right; the refresh serves the next request.
      if (performance.now() >= known.refreshAt) void this.#refresh(instance);
      return known.address;
    }
    return this.#refresh(instance);
  }

  /** A node has responded at its address. */
  reached(instance: string): void {
    const known = this.#known.get(instance);
    if (!known) return;
    known.hasFailed = false;
    known.confirmedAt = performance.now();
  }

  /** Connecting to a node has failed: its address is refreshed before the next attempt. */
  failed(instance: string): void {
    const known = this.#known.get(instance);
    if (known) known.hasFailed = true;
  }

  /** Removes addresses that were not confirmed for a day. */
  removeOld(): void {
    const oldest = performance.now() - 24 * 60 * 60 * 1_000;
    for (const [instance, { confirmedAt }] of this.#known) if (confirmedAt < oldest) this.#known.delete(instance);
  }

  #refresh(instance: string): Promise<string> {
    let refreshing = this.#refreshing.get(instance);
    if (!refreshing) {
      refreshing = this.#fetch(instance).finally(() => this.#refreshing.delete(instance));
      this.#refreshing.set(instance, refreshing);
    }
    return refreshing;
  }

  async #fetch(instance: string): Promise<string> {
    try {
      const address = await this.#ask(instance);
      this.learn(instance, typeof address === 'string' ? address : '');
      return this.#known.get(instance)?.address ?? '';
    } catch (error) {
      const known = this.#known.get(instance);
      if (!known) return '';
      const now = performance.now();
      const isAbsent = error instanceof Error && error.message === failure.absent;
      if (isAbsent && (known.hasFailed || now - known.confirmedAt > absentTimeoutMs)) {
        this.#known.delete(instance);
        return '';
      }
      known.refreshAt = now + retryMs;
      return known.address;
    }
  }
}
