import type { Clock } from './types.ts';

/** How newcomers are let in. */
export interface AdmissionOptions {
  /** On average. Default 500. */
  readonly perSecond: number;
  /** Immediately, after a quiet time. Default 200. */
  readonly burst: number;
  /** A newcomer that would have to wait longer is refused. Default 20,000; clients wait up to 100,000. */
  readonly maxDelayMs: number;
}

/** Let in; refused, because it would take too long; or not there any more. */
export type Admitted = 'yes' | 'no' | 'gone';

/** What tells that a newcomer has hung up: a response, or the socket of an upgrade. */
export interface Line {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

interface Waiter {
  readonly hub: string;
  readonly key: string;
  readonly since: number;
  readonly settle: (how: Admitted) => void;
}

const stepMs = 20;
/** Later newcomers may have pushed one back: after so many times the longest delay it is refused nevertheless. */
const patience = 2;

/**
 * Paces newcomers, so that everybody coming back after a restart does not stop the server (SPEC.md, O rules): a token bucket. Those who
 * find it empty wait. They are let in by turns: one of each hub, and within a hub one of each user or address. So a client that
 * sends many requests does not delay others. The place of a newcomer that hangs up is free immediately.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #options: AdmissionOptions;
  /** By hub, then by user or address; the first of each map has the next turn. */
  readonly #hubs = new Map<string, Map<string, Set<Waiter>>>();
  /** In the order of arrival. */
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

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when it is the turn of this newcomer (`key`: its user or address) or when it need not wait any longer. */
  enter(hub: string, key: string, line: Line): Admitted | Promise<Admitted> {
    this.#fill();
    if (this.waiting === 0 && this.#tokens >= 1) {
      this.#tokens--;
      return 'yes';
    }
    if ((this.#turnsBefore(hub, key) / this.#options.perSecond) * 1000 >= this.#options.maxDelayMs) return 'no';
    this.#interval ??= this.#clock.setInterval(() => this.#step(), stepMs);
    return new Promise((resolve) => {
      const onClose = () => this.#settle(waiter, 'gone');
      const settle = (how: Admitted) => {
        line.off('close', onClose);
        resolve(how);
      };
      const waiter: Waiter = { hub, key, since: this.#clock.now(), settle };
      this.#add(waiter);
      line.once('close', onClose);
    });
  }

  close(): void {
    this.#stop();
    for (const waiter of this.#waiting) this.#settle(waiter, 'yes');
  }

  /** How many are let in before a newcomer, if no others come. */
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
    let line = keys.get(waiter.key);
    if (!line) keys.set(waiter.key, (line = new Set()));
    line.add(waiter);
    this.#waiting.add(waiter);
  }

  #settle(waiter: Waiter, how: Admitted): void {
    if (!this.#waiting.delete(waiter)) return;
    const { hub, key } = waiter;
    const keys = this.#hubs.get(hub);
    const line = keys?.get(key);
    line?.delete(waiter);
    if (line?.size === 0) keys?.delete(key);
    if (keys?.size === 0) this.#hubs.delete(hub);
    waiter.settle(how);
  }

  /** Whose turn it is. Its hub, and its key within the hub, go to the end. */
  #next(): Waiter | undefined {
    for (const [hub, keys] of this.#hubs) {
      for (const [key, line] of keys) {
        this.#hubs.delete(hub);
        this.#hubs.set(hub, keys);
        keys.delete(key);
        keys.set(key, line);
        const [first] = line;
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
      if (this.#filledAt - waiter.since <= patience * this.#options.maxDelayMs) break;
      this.#settle(waiter, 'no');
    }
    // After a stall the bucket is full; one step never lets in more than its share, or the stall would feed itself.
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
