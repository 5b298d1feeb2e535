/** Allows a number of events for each key in a window of time. Counts in this process, so that a refusal costs no query. */
export class RateLimit {
  readonly #max: number;
  readonly #windowMs: number;
  #start = 0;
  #counts = new Map<string, number>();

  constructor({ max, windowMs }: { max: number; windowMs: number }) {
    this.#max = max;
    this.#windowMs = windowMs;
  }

  /** Counts an event, and returns whether it is allowed. @param now ms */
  allows(key: string, now: number): boolean {
    if (now - this.#start >= this.#windowMs) {
      this.#start = now;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count <= this.#max;
  }
}
