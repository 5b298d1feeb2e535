import type { Clock } from '../core/clock.ts';
import { limitMedia } from './outgoing-media.ts';
import { type Figures, type Quality, worseOf } from './quality.ts';
import { QualityMonitor } from './quality-monitor.ts';
import { firstVideoStep, nextVideoStep, videoSteps } from './video-limits.ts';

interface Parts {
  clock: Clock;
  /** The other side sends sound or video. */
  expects: () => boolean;
  /** Sends to the other side how its media arrive. */
  report: (quality: Quality) => void;
  onSample: (quality: Quality, figures: Figures) => void;
  onChange: (quality: Quality) => void;
}

/**
 * The quality of the connection to one other peer: what this side measures, what the other side reports, and how much video this side
 * sends because of that. Each side shows the worse of both, so that they see the same.
 */
export class PeerQuality {
  readonly #parts: Parts;
  readonly #monitor: QualityMonitor;
  #pc: RTCPeerConnection | undefined;
  /** How the other side's media arrive here; undefined before the first sample. */
  #mine: Quality | undefined;
  /** How this side's media arrive there. */
  #theirs: Quality = 'good';
  #step = firstVideoStep;
  /** The other side wants no picture. */
  #paused = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#monitor = new QualityMonitor({
      clock: parts.clock,
      expects: parts.expects,
      onSample: (quality, figures) => this.#sampled(quality, figures),
    });
  }

  /** The connection is connected (again). */
  start(pc: RTCPeerConnection): void {
    this.#pc = pc;
    this.#monitor.start(pc);
    this.applyLimits();
  }

  stop(): void {
    this.#pc = undefined;
    this.#monitor.stop();
  }

  /** Sends the last report again, on a new channel. */
  repeat(): void {
    if (this.#mine) this.#parts.report(this.#mine);
  }

  /** The other side reports how this side's media arrive. */
  receiveReport(quality: Quality): void {
    this.#theirs = quality;
    this.#changed();
  }

  /** Stops or continues the video to the other side, as it wishes. */
  pauseVideo(paused: boolean): void {
    this.#paused = paused;
    this.applyLimits();
  }

  /** Applies the limits to tracks that were added or replaced. */
  applyLimits(): void {
    const video = this.#paused ? null : (videoSteps[this.#step.step] ?? null);
    if (this.#pc) void limitMedia(this.#pc, video);
  }

  #sampled(quality: Quality, figures: Figures): void {
    if (quality !== this.#mine) {
      this.#mine = quality;
      this.#parts.report(quality);
      this.#changed();
    }
    this.#step = nextVideoStep(this.#step, this.#theirs, this.#parts.clock.now());
    this.applyLimits();
    this.#parts.onSample(quality, figures);
  }

  #changed(): void {
    if (this.#mine) this.#parts.onChange(worseOf(this.#mine, this.#theirs));
  }
}
