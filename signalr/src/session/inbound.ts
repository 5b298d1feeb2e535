import { scheduler } from '../scheduler.ts';
import { pauseReason } from './client-channel.ts';
import type { PartialMessage } from './partial.ts';

/** What a connection has received and not handled yet, and why reading from its client is paused. */
export class Inbound {
  /** The bytes of an incomplete message, or of deferred messages. */
  partial: PartialMessage | undefined = undefined;
  /** Since when the same message is incomplete, as seen by the check once a second; 0: none is. */
  incompleteSince = 0;
  /** The number of messages handled since the last bytes arrived. */
  burst = 0;
  /** Whether received bytes wait for a later turn. */
  isDeferred = false;
  #onReady: (() => void) | undefined = undefined;
  #pauseReasons = 0;

  /** Whether reading is paused; the client timeout does not apply meanwhile. */
  get isPaused(): boolean {
    return this.#pauseReasons > 0;
  }

  /** Whether the invocation queue is full. */
  get isQueueFull(): boolean {
    return (this.#pauseReasons & pauseReason.queue) > 0;
  }

  /** Sets or removes one of several reasons to pause. Returns whether `isPaused` has changed. */
  setPaused(reason: number, isPaused: boolean): boolean {
    const wasPaused = this.isPaused;
    this.#pauseReasons = isPaused ? this.#pauseReasons | reason : this.#pauseReasons & ~reason;
    return wasPaused !== this.isPaused;
  }

  /** Schedules work for when the invocation queue has room; dropped when the connection ends. */
  whenReady(work: () => void): void {
    this.#onReady = work;
    this.scheduleReady();
  }

  /** Schedules the work of `whenReady` when the invocation queue has room. */
  scheduleReady(): void {
    if (!this.#onReady || this.isQueueFull) return;
    scheduler.schedule(this.#onReady);
    this.#onReady = undefined;
  }

  /** The connection has ended. */
  clear(): void {
    this.#onReady = undefined;
    this.partial = undefined;
  }
}
