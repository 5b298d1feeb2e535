import type { Clock } from './types.ts';

/** How newcomers are let in. */
export interface AdmissionOptions {
  /** On average. Default 500. */
  readonly perSecond: number;
  /** At once, after a quiet time. Default 200. */
  readonly burst: number;
  /** Whoever would have to wait longer is refused. Default 20,000; clients wait up to 100,000. */
  readonly maxDelayMs: number;
}

const stepMs = 20;

/**
 * Paces newcomers, so that everybody coming back at once after a restart does not stop the server (SPEC.md, O rules): a token bucket,
 * at which those who find it empty wait in line.
 */
export class Admission {
  readonly #clock: Clock;
  readonly #options: AdmissionOptions;
  readonly #line: (() => void)[] = [];
  #head = 0;
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
    return this.#line.length - this.#head;
  }

  /** Resolves to true when it is the caller's turn, to false when that would take too long. */
  async enter(): Promise<boolean> {
    this.#fill();
    if (this.waiting === 0 && this.#tokens >= 1) {
      this.#tokens--;
      return true;
    }
    if ((this.waiting / this.#options.perSecond) * 1000 >= this.#options.maxDelayMs) return false;
    this.#interval ??= this.#clock.setInterval(() => this.#step(), stepMs);
    await new Promise<void>((resolve) => this.#line.push(resolve));
    return true;
  }

  close(): void {
    if (this.#interval !== undefined) this.#clock.clearInterval(this.#interval);
    for (const admit of this.#line.splice(this.#head)) admit();
  }

  #fill(): void {
    const now = this.#clock.now();
    const { burst, perSecond } = this.#options;
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * perSecond);
    this.#filledAt = now;
  }

  #step(): void {
    this.#fill();
    // After a stall the bucket is full; one step never lets in more than its share, or the stall would feed itself.
    let share = Math.max(1, Math.ceil((this.#options.perSecond * stepMs) / 1000) * 2);
    for (; this.#tokens >= 1 && this.waiting > 0 && share > 0; share--) {
      this.#tokens--;
      this.#line[this.#head++]?.();
    }
    if (this.waiting > 0) return;
    this.#line.length = 0;
    this.#head = 0;
    this.#clock.clearInterval(this.#interval);
    this.#interval = undefined;
  }
}
