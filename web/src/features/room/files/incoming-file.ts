import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Chunks are joined to pieces of this size, which the browser may keep on disk; bytes. */
const pieceBytes = 4 * 1024 * 1024;

/** A file that another peer sends, as far as it has arrived. */
export class IncomingFile {
  readonly id: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly type: string;
  readonly #hash = sha256.create();
  #pieces: Blob[] = [];
  #chunks: ArrayBuffer[] = [];
  #waiting = 0;
  #received = 0;

  constructor({ id, name, size, type }: { id: string; name: string; size: number; type: string }) {
    this.id = id;
    // A name is no path.
    // oxlint-disable-next-line no-control-regex -- control characters are what is removed.
    this.name = name.replace(/[\\/\u0000-\u001f\u007f]/g, '_');
    this.size = size;
    this.type = type;
  }

  /** Bytes that have arrived, in order. */
  get received(): number {
    return this.#received;
  }

  /** Returns false when there are more bytes than announced. */
  add(chunk: ArrayBuffer): boolean {
    if (this.#received + chunk.byteLength > this.size) return false;
    this.#hash.update(new Uint8Array(chunk));
    this.#received += chunk.byteLength;
    this.#chunks.push(chunk);
    this.#waiting += chunk.byteLength;
    if (this.#waiting >= pieceBytes) this.#join();
    return true;
  }

  /** Returns the file; undefined when it is not the one that was sent. */
  finish(checksum: string): Blob | undefined {
    if (this.#received !== this.size || bytesToHex(this.#hash.clone().digest()) !== checksum) return undefined;
    this.#join();
    return new Blob(this.#pieces, { type: 'application/octet-stream' });
  }

  /** Releases the memory of a file that will not be finished. */
  clear(): void {
    this.#pieces = [];
    this.#chunks = [];
  }

  #join(): void {
    this.#pieces.push(new Blob(this.#chunks));
    this.#chunks = [];
    this.#waiting = 0;
  }
}
