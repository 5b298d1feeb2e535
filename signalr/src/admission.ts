import type { Clock } from './types.ts';

/** How new connections are admitted: a token bucket with a queue. */
export interface AdmissionOptions {
  /** Admitted per second on average. Default 500. */
  readonly perSecond: number;
  /** Admitted immediately after an idle time. Default 200. */
  readonly burst: number;
  /** A request that would wait longer is refused. Default 20,000; clients wait up to 100,000. */
  readonly maxDelayMs: number;
}

/** Admitted; refused, because the wait would be too long; or disconnected while waiting. */
export type Admitted = 'yes' | 'no' | 'gone';

/** Emits `close` when the client disconnects: a response, or the socket of an upgrade. */
export interface Closable {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

interface Waiter {
  readonly hub: string;
  readonly key: string;
  readonly since: number;
  readonly settle: (outcome: Admitted) => void;
}

const stepMs = 20;
/** Later requests may delay a waiting one: it is refused after this multiple of the maximum delay. */
const maxDelayFactor = 2;

/**
 * Limits the rate of new connections, so that the reconnects after a restart do not overload the server (SPEC.md, O4): a token bucket.
 * When it is empty, requests wait. They are admitted round-robin: one of each hub, and within a hub one of each user or address, so
 * that a client with many requests does not delay others. A request whose client disconnects frees its place immediately.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #options: AdmissionOptions;
  /** By hub, then by user or address; the first of each map has the next turn. */
  readonly #hubs = new Map<string, Map<string, Set<Waiter>>>();
  /** In order of arrival. */
  readonly #waiting = new Set<Waiter>();
  #tokens: number;
  #filledAt: number;
  #interval: unknown;

  constructor(clock: Clock, options: Partial<AdmissionOptions> = {}) {
    this.#clock = clock;
    this.#options = { perSecond: 500, burst: 200, maxDelayMs: 20_000, ...options };
    this.#tokens = this.#options.burst;
    this.#filledAt = clock.now();
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when the request is admitted, refused, or its client has disconnected. `key`: its user or address. */
  enter(hub: string, key: string, request: Closable): Admitted | Promise<Admitted> {
    this.#fill();
    if (this.waiting === 0 && this.#tokens >= 1) {
      this.#tokens--;
      return 'yes';
    }
    if ((this.#turnsBefore(hub, key) / this.#options.perSecond) * 1000 >= this.#options.maxDelayMs) return 'no';
    this.#interval ??= this.#clock.setInterval(() => this.#step(), stepMs);
    return new Promise((resolve) => {
      const onClose = () => this.#settle(waiter, 'gone');
      const settle = (outcome: Admitted) => {
        request.off('close', onClose);
        resolve(outcome);
      };
      const waiter: Waiter = { hub, key, since: this.#clock.now(), settle };
      this.#add(waiter);
      request.once('close', onClose);
    });
  }

  close(): void {
    this.#stop();
    for (const waiter of this.#waiting) this.#settle(waiter, 'yes');
  }

  /** The number of requests admitted before a new one, if no others arrive. */
  #turnsBefore(hub: string, key: string): number {
    const keys = this.#hubs.get(hub);
    const ahead = keys?.get(key)?.size ?? 0;
    const hubs = this.#hubs.size + (keys ? 0 : 1);
    const keyCount = (keys?.size ?? 0) + (ahead > 0 ? 0 : 1);
    return Math.min(this.waiting, hubs * keyCount * (ahead + 1) - 1);
  }

  #add(waiter: Waiter): void {
    let keys = this.#hubs.get(waiter.hub);
    if (!keys) this.#hubs.set(waiter.hub, (keys = new Map()));
    let waiters = keys.get(waiter.key);
    if (!waiters) keys.set(waiter.key, (waiters = new Set()));
    waiters.add(waiter);
    this.#waiting.add(waiter);
  }

  #settle(waiter: Waiter, outcome: Admitted): void {
    if (!this.#waiting.delete(waiter)) return;
    const { hub, key } = waiter;
    const keys = this.#hubs.get(hub);
    const waiters = keys?.get(key);
    waiters?.delete(waiter);
    if (waiters?.size === 0) keys?.delete(key);
    if (keys?.size === 0) this.#hubs.delete(hub);
    waiter.settle(outcome);
  }

  /** Returns the next request to admit, and moves its hub and its key to the end of their queues. */
  #next(): Waiter | undefined {
    for (const [hub, keys] of this.#hubs) {
      for (const [key, waiters] of keys) {
        this.#hubs.delete(hub);
        this.#hubs.set(hub, keys);
        keys.delete(key);
        keys.set(key, waiters);
        const [first] = waiters;
        return first;
      }
    }
    return undefined;
  }

  #fill(): void {
    const now = this.#clock.now();
    const { burst, perSecond } = this.#options;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * perSecond);
    this.#filledAt = now;
  }

  #step(): void {
    this.#fill();
    for (const waiter of this.#waiting) {
      if (this.#filledAt - waiter.since <= maxDelayFactor * this.#options.maxDelayMs) break;
      this.#settle(waiter, 'no');
    }
    // After a stall the bucket is full. One step admits a limited number, because admitting all would cause the next stall.
    let share = Math.max(1, Math.ceil((this.#options.perSecond * stepMs) / 1000) * 2);
    for (; this.#tokens >= 1 && share > 0; share--) {
      const waiter = this.#next();
      if (!waiter) break;
      this.#tokens--;
      this.#settle(waiter, 'yes');
    }
    if (this.waiting === 0) this.#stop();
  }

  #stop(): void {
    if (this.#interval !== undefined) this.#clock.clearInterval(this.#interval);
    this.#interval = undefined;
  }
}
