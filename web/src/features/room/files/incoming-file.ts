import { PieceHash, pieceBytes } from './piece-hash.ts';

/** A file that another peer sends, as far as it has arrived. */
export class IncomingFile {
  readonly id: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly #hash = new PieceHash();
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  /** The piece that arrives, and how much of it is there. */
  #piece = new Uint8Array();
  #filled = 0;
  #received = 0;

  constructor({ id, name, size }: { id: string; name: string; size: number }) {
    this.id = id;
    // A name is no path.
    // oxlint-disable-next-line no-control-regex -- control characters are what is removed.
    this.name = name.replace(/[\\/\u0000-\u001f\u007f]/g, '_');
    this.size = size;
  }

  /** Bytes that have arrived, in order. */
  get received(): number {
    return this.#received;
  }

  /** Returns false when there are more bytes than announced, or a chunk is in two pieces. */
  add(chunk: ArrayBuffer): boolean {
    if (this.#filled === 0) this.#piece = new Uint8Array(Math.min(pieceBytes, this.size - this.#received));
    if (this.#filled + chunk.byteLength > this.#piece.length) return false;
    this.#piece.set(new Uint8Array(chunk), this.#filled);
    this.#filled += chunk.byteLength;
    this.#received += chunk.byteLength;
    if (this.#filled === this.#piece.length) this.#finishPiece();
    return true;
  }

  /** Resolves with the file; undefined when it is not the one that was sent. */
  async finish(checksum: string): Promise<Blob | undefined> {
    if (this.#received !== this.size || (await this.#hash.checksum()) !== checksum) return undefined;
    return new Blob(this.#pieces, { type: 'application/octet-stream' });
  }

  #finishPiece(): void {
    this.#hash.add(this.#pieces.length, this.#piece);
    this.#pieces.push(this.#piece);
    this.#filled = 0;
  }
}
