import type { Clock } from './types.ts';

/** How new connections are admitted: a token bucket with a queue. */
export interface AdmissionOptions {
  /** Admitted per second on average. Default 500. */
  readonly perSecond: number;
  /** Admitted immediately after an idle time. Default 200. */
  readonly burst: number;
  /** A request that would wait longer is refused. Default 20,000; clients wait up to 100,000. */
  readonly maxDelayMs: number;
  /** Admitted of one user per second on average. Default: not limited. Addresses never are: many users may share one. */
  readonly userPerSecond: number;
  /** Admitted of one user immediately, where `userPerSecond` is set. Default 5. */
  readonly userBurst: number;
}

/** Admitted; refused, because the wait would be too long; or disconnected while waiting. */
export type Admitted = 'yes' | 'no' | 'gone';

/** Emits `close` when the client disconnects: a response, or the socket of an upgrade. */
export interface Closable {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** Whose connection it is: by this, admission is shared within a hub. */
export interface Newcomer {
  /** The user, or without one the network. */
  readonly key: string;
  readonly isUser: boolean;
}

interface Waiter {
  readonly hub: string;
  readonly newcomer: Newcomer;
  readonly since: number;
  readonly settle: (outcome: Admitted) => void;
}

const stepMs = 20;
/** Later requests may delay a waiting one: it is refused after this multiple of the maximum delay. */
const maxDelayFactor = 2;

/**
 * Limits the rate of new connections, so that the reconnects after a restart do not overload the server (SPEC.md, O4): a token bucket.
 * When it is empty, requests wait. They are admitted round-robin: one of each hub, and within a hub one of each user or address, so
 * that a client with many requests does not delay others. One user's connections are admitted at a lower rate, because starting many together
 * would delay everybody's calls. A request whose client disconnects frees its place immediately.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #options: AdmissionOptions;
  /** By hub, then by user or address; the first of each map has the next turn. */
  readonly #hubs = new Map<string, Map<string, Set<Waiter>>>();
  /** In order of arrival. */
  readonly #waiting = new Set<Waiter>();
  readonly #users: UserShares;
  #tokens: number;
  #filledAt: number;
  #interval: unknown;

  constructor(clock: Clock, options: Partial<AdmissionOptions> = {}) {
    this.#clock = clock;
    this.#options = {
      perSecond: 500,
      burst: 200,
      maxDelayMs: 20_000,
      userPerSecond: Number.POSITIVE_INFINITY,
      userBurst: 5,
      ...options,
    };
    this.#users = new UserShares(this.#options);
    this.#tokens = this.#options.burst;
    this.#filledAt = clock.now();
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when the request is admitted, refused, or its client has disconnected. */
  enter(hub: string, newcomer: Newcomer, request: Closable): Admitted | Promise<Admitted> {
    this.#fill();
    if (this.waiting === 0 && this.#tokens >= 1 && this.#users.isFree(newcomer, this.#filledAt)) {
      this.#admit(newcomer);
      return 'yes';
    }
    if (this.#delayMs(hub, newcomer) >= this.#options.maxDelayMs) return 'no';
    this.#interval ??= this.#clock.setInterval(() => this.#step(), stepMs);
    return new Promise((resolve) => {
      const onClose = () => this.#settle(waiter, 'gone');
      const settle = (outcome: Admitted) => {
        request.off('close', onClose);
        resolve(outcome);
      };
      const waiter: Waiter = { hub, newcomer, since: this.#clock.now(), settle };
      this.#add(waiter);
      request.once('close', onClose);
    });
  }

  close(): void {
    this.#stop();
    for (const waiter of this.#waiting) this.#settle(waiter, 'yes');
  }

  #admit(newcomer: Newcomer): void {
    this.#tokens--;
    this.#users.take(newcomer, this.#filledAt);
  }

  /** How long a new request would wait, if no others arrive. */
  #delayMs(hub: string, { key, isUser }: Newcomer): number {
    const keys = this.#hubs.get(hub);
    const ahead = keys?.get(key)?.size ?? 0;
    const hubs = this.#hubs.size + (keys ? 0 : 1);
    const keyCount = (keys?.size ?? 0) + (ahead > 0 ? 0 : 1);
    const before = Math.min(this.waiting, hubs * keyCount * (ahead + 1) - 1);
    const { perSecond, userPerSecond } = this.#options;
    return 1000 * Math.max(before / perSecond, isUser ? ahead / userPerSecond : 0);
  }

  #add(waiter: Waiter): void {
    let keys = this.#hubs.get(waiter.hub);
    if (!keys) this.#hubs.set(waiter.hub, (keys = new Map()));
    const { key } = waiter.newcomer;
    let waiters = keys.get(key);
    if (!waiters) keys.set(key, (waiters = new Set()));
    waiters.add(waiter);
    this.#waiting.add(waiter);
  }

  #settle(waiter: Waiter, outcome: Admitted): void {
    if (!this.#waiting.delete(waiter)) return;
    const { hub, newcomer } = waiter;
    const { key } = newcomer;
    const keys = this.#hubs.get(hub);
    const waiters = keys?.get(key);
    waiters?.delete(waiter);
    if (waiters?.size === 0) keys?.delete(key);
    if (keys?.size === 0) this.#hubs.delete(hub);
    waiter.settle(outcome);
  }

  /** Returns the next request that may be admitted, and moves its hub and its key to the end of their queues. */
  #next(): Waiter | undefined {
    for (const [hub, keys] of this.#hubs) {
      for (const [key, waiters] of keys) {
        const [first] = waiters;
        if (!first || !this.#users.isFree(first.newcomer, this.#filledAt)) continue;
        this.#hubs.delete(hub);
        this.#hubs.set(hub, keys);
        keys.delete(key);
        keys.set(key, waiters);
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
      this.#admit(waiter.newcomer);
      this.#settle(waiter, 'yes');
    }
    if (this.waiting === 0) this.#stop();
  }

  #stop(): void {
    if (this.#interval !== undefined) this.#clock.clearInterval(this.#interval);
    this.#interval = undefined;
  }
}

/** How many connections of each user were admitted lately: a token bucket for each, kept until it is full again. */
class UserShares {
  /** The time in which one more may be admitted; 0: no limit. */
  readonly #gapMs: number;
  readonly #burst: number;
  /** By user, the time at which the bucket is full again; the longest unchanged first. */
  readonly #fullAt = new Map<string, number>();

  constructor({ userPerSecond, userBurst }: Pick<AdmissionOptions, 'userPerSecond' | 'userBurst'>) {
    this.#gapMs = 1000 / userPerSecond;
    this.#burst = userBurst;
  }

  isFree({ key, isUser }: Newcomer, now: number): boolean {
    return !isUser || (this.#fullAt.get(key) ?? now) - now <= (this.#burst - 1) * this.#gapMs;
  }

  take({ key, isUser }: Newcomer, now: number): void {
    if (!isUser || this.#gapMs === 0) return;
    for (const [other, fullAt] of this.#fullAt) {
      if (fullAt > now) break;
      this.#fullAt.delete(other);
    }
    const from = Math.max(now, this.#fullAt.get(key) ?? now);
    this.#fullAt.delete(key);
    this.#fullAt.set(key, from + this.#gapMs);
  }
}
