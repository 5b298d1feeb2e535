import type { Clock } from './clock.ts';

/** Between two looks, ms (STATE-22, CONST-5). */
const every = { least: 7_000, most: 10_000 } as const;

interface Parts {
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
  /** Whether something should come at all. */
  expects: () => boolean;
  onFrozen: () => void;
  /** Still nothing since the last look. */
  onStillFrozen: () => void;
  onThawed: () => void;
}

/** Notices a line that says it is connected but brings nothing (STATE-22). */
export class FreezeWatch {
  readonly #parts: Parts;
  #pc: RTCPeerConnection | undefined;
  #bytes: number | undefined;
  #frozen = false;
  #cancel: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The line is connected, or connected again: what it brings counts from now on. */
  start(pc: RTCPeerConnection): void {
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
    this.#cancel = clock.after(every.least + random() * (every.most - every.least), () => {
      this.#next();
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    const pc = this.#pc;
    if (pc?.connectionState !== 'connected' || !this.#parts.expects()) return;
    let bytes = 0;
    for (const report of (await pc.getStats()).values() as Iterable<{ type: string; bytesReceived?: number }>) {
      if (report.type === 'inbound-rtp') bytes += report.bytesReceived ?? 0;
    }
    if (pc !== this.#pc) return;
    const stands = bytes === this.#bytes;
    this.#bytes = bytes;
    if (!stands) {
      if (this.#frozen) this.#parts.onThawed();
      this.#frozen = false;
    } else if (this.#frozen) {
      this.#parts.onStillFrozen();
    } else {
      this.#frozen = true;
      this.#parts.onFrozen();
    }
  }
}
