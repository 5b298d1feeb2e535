import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** CONST-5: bytes of one message. */
export const chunkBytes = 16 * 1024;
/** How much of the file is read in one step, bytes. */
const readBytes = 1024 * 1024;

/** A file that is sent to another peer, and the checksum of what was read of it. */
export class OutgoingFile {
  readonly id: string;
  readonly file: File;
  readonly #hash = sha256.create();
  #hashed = 0;

  constructor(id: string, file: File) {
    this.id = id;
    this.file = file;
  }

  /** Yields the bytes from an offset on. Each byte counts for the checksum once, also when it is read again. */
  async *chunksFrom(offset: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    // What was skipped belongs to the checksum too: a receiver may have more than was read here.
    const start = Math.min(offset, this.#hashed);
    for (let at = start; at < this.file.size; at += readBytes) {
      const piece = new Uint8Array(await this.file.slice(at, at + readBytes).arrayBuffer());
      this.#update(piece, at);
      for (let from = Math.max(0, offset - at); from < piece.length; from += chunkBytes) {
        yield piece.subarray(from, from + chunkBytes);
      }
    }
  }

  /** The SHA-256 of the file, hexadecimal, after all of it was read. */
  checksum(): string {
    return bytesToHex(this.#hash.clone().digest());
  }

  #update(piece: Uint8Array, at: number): void {
    const known = this.#hashed - at;
    if (known >= piece.length) return;
    this.#hash.update(piece.subarray(Math.max(0, known)));
    this.#hashed = at + piece.length;
  }
}
