import type { Clock } from '../core/clock.ts';

/** Interval between two checks, ms (STATE-22, CONST-5). */
const every = { min: 7_000, max: 10_000 } as const;
/** A check that is later than this was delayed by the browser, as in a hidden tab or on a phone that slept, ms. */
const lateMs = 2_000;

interface Parts {
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  /**
   * Whether data is expected. A peer that sends neither sound nor video, or whose page is hidden, cannot freeze; ICE detects a dead
   * connection. The checks continue when the peer sends again.
   */
  expects: () => boolean;
  onFrozen: () => void;
  /** Nothing was received since the last check, again. */
  onStillFrozen: () => void;
  onThawed: () => void;
}

/** Detects a connection that is connected but receives nothing (STATE-22). */
export class FreezeWatch {
  readonly #parts: Parts;
  #pc: RTCPeerConnection | undefined;
  #bytes: number | undefined;
  #frozen = false;
  #cancel: (() => void) | undefined;
  #dueAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The connection is connected (again): counting starts now, except while it is frozen. */
  start(pc: RTCPeerConnection): void {
    if (pc === this.#pc && this.#frozen) return;
    this.#cancel?.();
    this.#pc = pc;
    this.#bytes = undefined;
    this.#next();
  }

  stop(): void {
    this.#cancel?.();
    this.#pc = undefined;
    this.#frozen = false;
  }

  #next(): void {
    const { clock, random } = this.#parts;
    const wait = every.min + random() * (every.max - every.min);
    this.#dueAt = clock.now() + wait;
    this.#cancel = clock.after(wait, () => {
      const isLate = clock.now() - this.#dueAt > lateMs;
      this.#next();
      if (isLate) this.#rest();
      else void this.#look();
    });
  }

  /** Bytes received before a pause say nothing about the time after it. */
  #rest(): void {
    this.#bytes = undefined;
    this.#thaw();
  }

  #thaw(): void {
    if (this.#frozen) this.#parts.onThawed();
    this.#frozen = false;
  }

  async #look(): Promise<void> {
    const pc = this.#pc;
    if (pc?.connectionState !== 'connected') return;
    if (!this.#parts.expects()) return this.#rest();
    let bytes = 0;
    for (const report of (await pc.getStats()).values() as Iterable<{ type: string; bytesReceived?: number }>) {
      if (report.type === 'inbound-rtp') bytes += report.bytesReceived ?? 0;
    }
    if (pc !== this.#pc) return;
    const isUnchanged = bytes === this.#bytes;
    this.#bytes = bytes;
    if (!isUnchanged) {
      this.#thaw();
    } else if (this.#frozen) {
      this.#parts.onStillFrozen();
    } else {
      this.#frozen = true;
      this.#parts.onFrozen();
    }
  }
}
