import pg from 'pg';

/** A database without a response for this long while queries wait is probed, ms. */
const probeAfterMs = 1_000;
/** A probe that takes longer has failed, ms. */
const probeTimeoutMs = 2_000;

/**
 * Detects a database that keeps its connections open but does not respond: a frozen machine, a network that drops packets.
 * Without it each request would wait for its statement's timeout.
 */
export class Probe {
  readonly #config: pg.ClientConfig;
  readonly #onFrozen: () => void;
  readonly #timer: NodeJS.Timeout;
  #running = 0;
  /** The last query has failed, or has no response yet. */
  #hasFailed = false;
  #lastResponseAt = Date.now();
  #isProbing = false;
  isFrozen = false;

  /** @param onFrozen called each time a probe has failed: running queries will get no response */
  constructor(config: pg.ClientConfig, onFrozen: () => void) {
    this.#config = config;
    this.#onFrozen = onFrozen;
    this.#timer = setInterval(() => void this.#check(), probeAfterMs);
    this.#timer.unref();
  }

  /** Runs work that waits for the database, and observes its responses. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isWaiting()) this.#lastResponseAt = Date.now();
    this.#running += 1;
    this.#hasFailed = true;
    try {
      const result = await work();
      this.#recordResponse();
      return result;
    } finally {
      this.#running -= 1;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const isSilent = this.#isWaiting() && Date.now() - this.#lastResponseAt > probeAfterMs;
    if (this.#isProbing || !(isSilent || this.isFrozen)) return;
    this.#isProbing = true;
    this.isFrozen = !(await this.#isResponding());
    this.#isProbing = false;
    if (this.isFrozen) this.#onFrozen();
    else this.#recordResponse();
  }

  #recordResponse(): void {
    this.#lastResponseAt = Date.now();
    this.#hasFailed = false;
  }

  #isWaiting(): boolean {
    return this.#running > 0 || this.#hasFailed;
  }

  /** Returns whether a new connection gets a response, which may be an error. */
  async #isResponding(): Promise<boolean> {
    const timeouts = { connectionTimeoutMillis: probeTimeoutMs, query_timeout: probeTimeoutMs };
    const client = new pg.Client({ ...this.#config, ...timeouts });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch (error) {
      // The database's errors have a severity. Refused connections fail without waiting, so they do not count as frozen.
      const { severity, code } = error as { severity?: string; code?: string };
      return severity !== undefined || code === 'ECONNREFUSED' || code === 'ENOENT';
    } finally {
      void client.end().catch(() => {});
    }
  }
}
