import pg from 'pg';

/** A database that has not answered for this long while it is asked is probed, ms. */
const probeAfterMs = 1_000;
/** A probe that takes longer has failed, ms. */
const probeTimeoutMs = 2_000;

/**
 * Notices a database that keeps its connections open and answers nothing: a frozen machine, a network that drops
 * everything. Without it each request waits for its statement's time-out.
 */
export class Probe {
  readonly #config: pg.ClientConfig;
  readonly #onFrozen: () => void;
  readonly #timer: NodeJS.Timeout;
  #running = 0;
  /** What was asked last has not been answered, or failed. */
  #hasFailed = false;
  #lastAnswer = Date.now();
  #isProbing = false;
  isFrozen = false;

  /** @param onFrozen called each time a probe has failed: what is under way will not be answered */
  constructor(config: pg.ClientConfig, onFrozen: () => void) {
    this.#config = config;
    this.#onFrozen = onFrozen;
    this.#timer = setInterval(() => void this.#look(), probeAfterMs);
    this.#timer.unref();
  }

  /** Watches over some work that waits for the database. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isWaiting()) this.#lastAnswer = Date.now();
    this.#running += 1;
    this.#hasFailed = true;
    try {
      const result = await work();
      this.#answered();
      return result;
    } finally {
      this.#running -= 1;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const isSilent = this.#isWaiting() && Date.now() - this.#lastAnswer > probeAfterMs;
    if (this.#isProbing || !(isSilent || this.isFrozen)) return;
    this.#isProbing = true;
    this.isFrozen = !(await this.#answers());
    this.#isProbing = false;
    if (this.isFrozen) this.#onFrozen();
    else this.#answered();
  }

  #answered(): void {
    this.#lastAnswer = Date.now();
    this.#hasFailed = false;
  }

  #isWaiting(): boolean {
    return this.#running > 0 || this.#hasFailed;
  }

  /** Whether a new connection is answered, be it with an error. */
  async #answers(): Promise<boolean> {
    const timeouts = { connectionTimeoutMillis: probeTimeoutMs, query_timeout: probeTimeoutMs };
    const client = new pg.Client({ ...this.#config, ...timeouts });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch (error) {
      // The database's own errors have a severity; refused connections fail by themselves, without waiting.
      const { severity, code } = error as { severity?: string; code?: string };
      return severity !== undefined || code === 'ECONNREFUSED' || code === 'ENOENT';
    } finally {
      void client.end().catch(() => {});
    }
  }
}
