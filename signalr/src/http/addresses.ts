import { failure } from '../backplane/requests.ts';

/** How long an address is believed without asking, ms. */
const freshMs = 30_000;
/** After a question that got no answer, the next is asked no sooner, ms. */
const retryMs = 2_000;
/** A process that the backplane does not know may be coming back to it: for so long its address is still tried, ms. */
const absentMs = 60_000;

interface Known {
  readonly address: string;
  /** When its process last said so, or answered there, as `performance.now()`. */
  confirmedAt: number;
  askAt: number;
  /** Whether the last attempt to connect there failed. */
  hasFailed: boolean;
}

/**
 * Where other processes are. They say so themselves from time to time, and are asked when they have not. While the backplane is down
 * the last known address stays in use, so that no client depends on it.
 */
export class Addresses {
  readonly #ask: (instance: string) => Promise<string>;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<string>>();

  /** `ask` asks the process itself; empty: it has no address. */
  constructor(ask: (instance: string) => Promise<string>) {
    this.#ask = ask;
  }

  has(instance: string): boolean {
    return this.#known.has(instance);
  }

  /** A process has said where it is. */
  learn(instance: string, address: string): void {
    const now = performance.now();
    if (address === '') this.#known.delete(instance);
    else this.#known.set(instance, { address, confirmedAt: now, askAt: now + freshMs, hasFailed: false });
  }

  /** Returns the address of a process; empty when it is not known. */
  async of(instance: string): Promise<string> {
    const known = this.#known.get(instance);
    if (known && !known.hasFailed) {
      // An old address is probably right; the answer serves the next request.
      if (performance.now() >= known.askAt) void this.#refresh(instance);
      return known.address;
    }
    return this.#refresh(instance);
  }

  /** A process has answered where it should be. */
  reached(instance: string): void {
    const known = this.#known.get(instance);
    if (!known) return;
    known.hasFailed = false;
    known.confirmedAt = performance.now();
  }

  /** A connection to the process failed: it is asked before the next attempt. */
  failed(instance: string): void {
    const known = this.#known.get(instance);
    if (known) known.hasFailed = true;
  }

  /** Forgets addresses that were not confirmed for a day. */
  tidy(): void {
    const oldest = performance.now() - 24 * 60 * 60 * 1_000;
    for (const [instance, { confirmedAt }] of this.#known) if (confirmedAt < oldest) this.#known.delete(instance);
  }

  #refresh(instance: string): Promise<string> {
    let asking = this.#asking.get(instance);
    if (!asking) {
      asking = this.#askFor(instance).finally(() => this.#asking.delete(instance));
      this.#asking.set(instance, asking);
    }
    return asking;
  }

  async #askFor(instance: string): Promise<string> {
    try {
      const address = await this.#ask(instance);
      this.learn(instance, typeof address === 'string' ? address : '');
      return this.#known.get(instance)?.address ?? '';
    } catch (error) {
      const known = this.#known.get(instance);
      if (!known) return '';
      const now = performance.now();
      const isAbsent = error instanceof Error && error.message === failure.absent;
      if (isAbsent && (known.hasFailed || now - known.confirmedAt > absentMs)) {
        this.#known.delete(instance);
        return '';
      }
      known.askAt = now + retryMs;
      return known.address;
    }
  }
}
