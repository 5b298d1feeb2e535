import type { VisitQuality } from '@roomside/contract/room/calls.ts';
import type { Figures, Quality } from './quality.ts';
import { sampleMs } from './quality-monitor.ts';

/** Average and worst value of a figure. */
class Spread {
  #sum = 0;
  #count = 0;
  #worst = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
    this.#worst = Math.max(this.#worst, value);
  }

  get average(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  get worst(): number {
    return this.#worst;
  }
}

/** How the media of all other peers arrived at this page, from its load to now. It is stored with the visit. */
export class QualitySummary {
  readonly #loss = new Spread();
  readonly #rtt = new Spread();
  readonly #jitter = new Spread();
  readonly #concealed = new Spread();
  readonly #samples: Record<Quality, number> = { good: 0, fair: 0, poor: 0 };
  #freezes = 0;
  #relayed = false;
  #interruptions = 0;
  #restarts = 0;

  add(quality: Quality, figures: Figures): void {
    this.#loss.add(figures.loss);
    this.#rtt.add(figures.rttMs);
    this.#jitter.add(figures.jitterMs);
    this.#concealed.add(figures.concealed);
    this.#freezes += figures.freezes;
    this.#relayed ||= figures.relayed;
    this.#samples[quality] += 1;
  }

  /** The user was notified of a lost connection. */
  interrupted(): void {
    this.#interruptions += 1;
  }

  /** A recovery was attempted. */
  attempted(): void {
    this.#restarts += 1;
  }

  /** Undefined before the first sample. */
  read(): Omit<VisitQuality, 'page'> | undefined {
    const { good, fair, poor } = this.#samples;
    if (good + fair + poor === 0) return undefined;
    const seconds = (samples: number) => Math.round((samples * sampleMs) / 1000);
    return {
      lossAverage: this.#loss.average,
      lossWorst: this.#loss.worst,
      rttAverageMs: Math.round(this.#rtt.average),
      rttWorstMs: Math.round(this.#rtt.worst),
      jitterAverageMs: Math.round(this.#jitter.average),
      jitterWorstMs: Math.round(this.#jitter.worst),
      concealedAverage: this.#concealed.average,
      concealedWorst: this.#concealed.worst,
      freezes: this.#freezes,
      relayed: this.#relayed,
      interruptions: this.#interruptions,
      restarts: this.#restarts,
      goodSeconds: seconds(good),
      fairSeconds: seconds(fair),
      poorSeconds: seconds(poor),
    };
  }
}
