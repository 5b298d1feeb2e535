import type { Clock } from '../core/clock.ts';
import {
  type Figures,
  figuresBetween,
  type Quality,
  rate,
  type Steady,
  settle,
  steady,
  type Totals,
  totalsOf,
} from './quality.ts';

/** Interval between two samples, ms. */
export const sampleMs = 2_000;

interface Parts {
  clock: Clock;
  /** The other side sends sound or video. */
  expects: () => boolean;
  /** A sample was taken. `quality` changes only after several samples that agree. */
  onSample: (quality: Quality, figures: Figures) => void;
}

/** Measures how the media of one other peer arrive. A new connection starts with the quality of the one before. */
export class QualityMonitor {
  readonly #parts: Parts;
  #pc: RTCPeerConnection | undefined;
  #before: Totals | undefined;
  #steady: Steady = steady('good');
  #cancel: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The connection is connected (again). */
  start(pc: RTCPeerConnection): void {
    this.stop();
    this.#pc = pc;
    this.#next();
  }

  stop(): void {
    this.#cancel?.();
    this.#pc = undefined;
    this.#before = undefined;
  }

  #next(): void {
    this.#cancel = this.#parts.clock.after(sampleMs, () => {
      this.#next();
      void this.#sample();
    });
  }

  async #sample(): Promise<void> {
    const pc = this.#pc;
    // Without a connection there is nothing to rate; the recovery acts.
    if (pc?.connectionState !== 'connected') {
      this.#before = undefined;
      return;
    }
    const now = totalsOf(await pc.getStats());
    if (pc !== this.#pc) return;
    const before = this.#before;
    this.#before = now;
    if (!before) return;
    const figures = figuresBetween(before, now, this.#parts.expects());
    this.#steady = settle(this.#steady, rate(figures));
    this.#parts.onSample(this.#steady.quality, figures);
  }
}
