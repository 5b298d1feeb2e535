/**
 * The maximum time that streams and long queues may block the event loop, ms. A request with five database queries is delayed by it
 * five times.
 */
const budgetMs = 4;
/** The clock is read once per this number of work items; a power of two. */
const piecesPerClockRead = 8;
const maxBatchSize = 256;

/**
 * Shares the event loop between clients that send thousands of calls in one frame and streams that never wait. They queue their
 * remaining work and continue by turns. The whole process has one budget, because it has one event loop.
 */
export class Scheduler {
  readonly #queue: (() => void)[] = [];
  #head = 0;
  #isScheduled = false;
  /** The number of queued work items run per event loop iteration; adjusted to the budget. */
  #batchSize = 16;
  #ran = 0;
  #count = 0;
  /** When work began in this event loop iteration, ms; 0: not measured yet. */
  #since = 0;
  #isOver = false;

  /** Counts a work item. Returns true when the budget is used up: the caller then queues its remaining work. */
  shouldYield(): boolean {
    if (this.#isOver) return true;
    if ((++this.#count & (piecesPerClockRead - 1)) !== 0) return false;
    const now = performance.now();
    if (this.#since === 0) {
      this.#since = now;
      setImmediate(this.#renew);
      return false;
    }
    this.#isOver = now - this.#since > budgetMs;
    return this.#isOver;
  }

  /** Queues work for a later turn. `work` must not throw. */
  schedule(work: () => void): void {
    this.#queue.push(work);
    this.#schedule();
  }

  /** Resolves at the caller's next turn. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.schedule(resolve));
  }

  readonly #renew = (): void => {
    this.#since = 0;
    this.#isOver = false;
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
    // Runs after the promises that `#run` has resolved have continued.
    setImmediate(this.#measure);
  }

  readonly #run = (): void => {
    this.#since = performance.now();
    this.#isOver = false;
    const stop = Math.min(this.#queue.length, this.#head + this.#batchSize);
    const start = this.#head;
    while (this.#head < stop) {
      this.#queue[this.#head++]?.();
      if (performance.now() - this.#since > budgetMs) break;
    }
    this.#ran = this.#head - start;
    if (this.#head === this.#queue.length || this.#head > 1_024) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
  };

  readonly #measure = (): void => {
    const elapsed = performance.now() - this.#since;
    if (elapsed > budgetMs) this.#batchSize = Math.max(1, Math.floor((this.#ran * budgetMs) / elapsed));
    else if (this.#ran === this.#batchSize && elapsed < budgetMs / 2)
      this.#batchSize = Math.min(maxBatchSize, this.#batchSize * 2);
    this.#isScheduled = false;
    this.#renew();
    if (this.#head < this.#queue.length) this.#schedule();
  };
}

export const scheduler = new Scheduler();
