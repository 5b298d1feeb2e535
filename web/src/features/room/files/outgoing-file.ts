import { PieceHash, pieceBytes } from './piece-hash.ts';

/** CONST-5: bytes of one message. */
export const chunkBytes = 16 * 1024;
/** How much of the file is read in one step, while what was read before is sent; pieces. */
const readPieces = 4;
const readBytes = readPieces * pieceBytes;

/** A file that is sent to another peer, and the checksum of what was read of it. */
export class OutgoingFile {
  readonly id: string;
  readonly file: File;
  readonly #hash = new PieceHash();
  #beginning: Promise<Uint8Array<ArrayBuffer>> | undefined;

  constructor(id: string, file: File) {
    this.id = id;
    this.file = file;
  }

  /** Reads the beginning while the receiver decides. */
  prepare(): void {
    this.#beginning ??= this.#read(0);
  }

  /** Yields the bytes from an offset on, and reads ahead. Rejects when the file was changed or moved. */
  async *chunksFrom(offset: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const steps = this.#stepsFrom(offset);
    let next = (steps[0] === 0 && this.#beginning) || this.#read(steps[0]);
    this.#beginning = undefined;
    for (const [turn, start] of steps.entries()) {
      const bytes = await next;
      next = this.#read(steps[turn + 1]);
      for (let from = Math.max(0, offset - start); from < bytes.length; from += chunkBytes) {
        yield bytes.subarray(from, from + chunkBytes);
      }
    }
  }

  /** After all of the file was read; hexadecimal. */
  checksum(): Promise<string> {
    return this.#hash.checksum();
  }

  /** Where reading steps start. What the receiver has counts for the checksum too, unless it was read before. */
  #stepsFrom(offset: number): number[] {
    const steps: number[] = [];
    for (let start = 0; start < this.file.size; start += readBytes) {
      const isNeeded = start + readBytes > offset || !this.#hash.has(start / pieceBytes);
      if (isNeeded) steps.push(start);
    }
    return steps;
  }

  #read(start: number | undefined): Promise<Uint8Array<ArrayBuffer>> {
    if (start === undefined) return Promise.resolve(new Uint8Array());
    const bytes = this.#readStep(start);
    // Sending may end before these bytes are needed.
    bytes.catch(() => undefined);
    return bytes;
  }

  async #readStep(start: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(await this.file.slice(start, start + readBytes).arrayBuffer());
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      this.#hash.add((start + at) / pieceBytes, bytes.subarray(at, at + pieceBytes));
    }
    return bytes;
  }
}
