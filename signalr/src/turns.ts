/**
 * How long the work of streams and of long queues may keep everything else waiting, ms. A request that asks a database five
 * times waits for it five times.
 */
const budgetMs = 4;
/** The clock is read once for so many pieces of work; a power of two. */
const pieces = 8;
const maxShare = 256;

/**
 * Shares the event loop between those who have a lot to do: clients that send thousands of calls in one frame, and streams that never
 * wait. They queue what is left and go on by turns. One budget serves the whole process, as it has one event loop.
 */
export class Turns {
  readonly #queue: (() => void)[] = [];
  #head = 0;
  #isScheduled = false;
  /** How many get their turn between two looks at the network; as many as fit in the budget. */
  #share = 16;
  #given = 0;
  #count = 0;
  /** When the work since the last look at the network began; 0: it was not measured yet. */
  #since = 0;
  #isOver = false;

  /** Counts a piece of work. True: it is time for others, so what is left should wait for its turn. */
  spend(): boolean {
    if (this.#isOver) return true;
    if ((++this.#count & (pieces - 1)) !== 0) return false;
    const now = performance.now();
    if (this.#since === 0) {
      this.#since = now;
      setImmediate(this.#renew);
      return false;
    }
    this.#isOver = now - this.#since > budgetMs;
    return this.#isOver;
  }

  /** Calls back when it is the caller's turn. `work` must not throw. */
  later(work: () => void): void {
    this.#queue.push(work);
    this.#schedule();
  }

  /** Resolves when it is the caller's turn. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.later(resolve));
  }

  readonly #renew = (): void => {
    this.#since = 0;
    this.#isOver = false;
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
    // Between the two runs what the first has let go on.
    setImmediate(this.#measure);
  }

  readonly #run = (): void => {
    this.#since = performance.now();
    this.#isOver = false;
    const stop = Math.min(this.#queue.length, this.#head + this.#share);
    const start = this.#head;
    while (this.#head < stop) {
      this.#queue[this.#head++]?.();
      if (performance.now() - this.#since > budgetMs) break;
    }
    this.#given = this.#head - start;
    if (this.#head === this.#queue.length || this.#head > 1_024) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
  };

  readonly #measure = (): void => {
    const elapsed = performance.now() - this.#since;
    if (elapsed > budgetMs) this.#share = Math.max(1, Math.floor((this.#given * budgetMs) / elapsed));
    else if (this.#given === this.#share && elapsed < budgetMs / 2) this.#share = Math.min(maxShare, this.#share * 2);
    this.#isScheduled = false;
    this.#renew();
    if (this.#head < this.#queue.length) this.#schedule();
  };
}

export const turns = new Turns();
