import type { Clock } from '../clock.ts';
import type { BytesResult } from './send-bytes.ts';

/** How long an opened address stays open, ms: as long as an ended sign-in may still be served. */
const openMs = 1_000;
const maxOpened = 1_000;

/**
 * Bytes that a signed address has opened a moment ago. Who drags the seek bar of a recording asks for many ranges of the same
 * bytes in a second: the first one checks the sign-in and is audited, the others of that second are part of the same read.
 */
export class OpenedAddresses {
  readonly #clock: Clock;
  /** By the whole address, which contains the caller and a keyed hash. */
  readonly #opened = new Map<string, { readonly bytes: BytesResult; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the bytes that this verified address has opened within the last second. */
  find(address: string): BytesResult | undefined {
    const found = this.#opened.get(address);
    if (found && found.until > this.#clock.now()) return found.bytes;
    this.#opened.delete(address);
    return undefined;
  }

  add(address: string, bytes: BytesResult): void {
    if (this.#opened.size >= maxOpened) this.#opened.clear();
    this.#opened.set(address, { bytes, until: this.#clock.now() + openMs });
  }
}
