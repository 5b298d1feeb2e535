import type { Clock } from '../core/clock.ts';

/** Interval between two looks, ms. */
const everyMs = 250;
/** The time without a packet after which a connection is silent, ms. */
const silentMs = 750;

interface Parts {
  clock: Clock;
  /** Nothing has arrived for a moment, where something had; once until it arrives again. */
  onSilent: () => void;
}

/**
 * Notices within a second that no sound and video arrive any more; ICE takes five. That may be a lost network, or a peer that sends nothing
 * for now, so it is no more than a reason to look.
 */
export class SilenceWatch {
  readonly #parts: Parts;
  #pc: RTCPeerConnection | undefined;
  /** When the newest packet of each receiver was played; the epoch differs between browsers. */
  #newest = new WeakMap<RTCRtpReceiver, number>();
  #heardAt = 0;
  #isHeard: boolean | undefined;
  #cancel: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined before the first packet. */
  get isHeard(): boolean | undefined {
    return this.#isHeard;
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
    this.#isHeard = undefined;
  }

  #next(): void {
    this.#cancel = this.#parts.clock.after(everyMs, () => {
      this.#next();
      this.#look();
    });
  }

  #look(): void {
    const now = this.#parts.clock.now();
    if (this.#hasNewPackets()) {
      this.#heardAt = now;
      this.#isHeard = true;
      return;
    }
    if (this.#isHeard !== true || now - this.#heardAt < silentMs) return;
    this.#isHeard = false;
    this.#parts.onSilent();
  }

  /** Whether a receiver has played a packet since the last look. */
  #hasNewPackets(): boolean {
    return (this.#pc?.getReceivers() ?? []).some((receiver) => {
      const times = receiver.getSynchronizationSources().map(({ timestamp }) => timestamp);
      if (times.length === 0) return false;
      const newest = Math.max(...times);
      if (newest === this.#newest.get(receiver)) return false;
      this.#newest.set(receiver, newest);
      return true;
    });
  }
}
