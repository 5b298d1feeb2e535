import type { VisitQuality } from '@roomside/contract/room/calls.ts';
import type { Clock } from '../core/clock.ts';
import type { QualitySummary } from './quality-summary.ts';

/** A browser that is killed loses at most this much, ms. */
const intervalMs = 60_000;

interface Parts {
  clock: Clock;
  summary: QualitySummary;
  /** Names this load of the page. */
  page: string;
  save: (quality: VisitQuality, signal?: AbortSignal) => Promise<void>;
}

/** Stores with the visit how media arrived at this page: each minute and at the end. Failures are ignored, the next one has it all. */
export class QualityReporter {
  readonly #parts: Parts;
  #cancel: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(intervalMs, () => {
      this.start();
      void this.save();
    });
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Stores what was measured so far, unless `signal` ends it. */
  async save(signal?: AbortSignal): Promise<void> {
    const { summary, page, save } = this.#parts;
    const measured = summary.read();
    if (measured) await save({ page, ...measured }, signal).catch(() => undefined);
  }
}
