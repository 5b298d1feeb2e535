/** How often one person can enter rooms, in one process. Each entry changes the visit and writes audit rows. */
export const entryLimit = { max: 60, windowMs: 10_000 };

/** Counts the entries of each person. One per process. */
export class EntryLimit {
  #start = 0;
  #counts = new Map<string, number>();

  /** Counts an entry, and returns whether it is allowed. @param now ms */
  allows(userId: string, now: number): boolean {
    if (now - this.#start >= entryLimit.windowMs) {
      this.#start = now;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(userId) ?? 0) + 1;
    this.#counts.set(userId, count);
    return count <= entryLimit.max;
  }
}
