/** Bytes of one piece; the last piece of a file is shorter. A multiple of the chunks that are sent. */
export const pieceBytes = 1024 * 1024;

/**
 * The checksum of a file, piece by piece: the SHA-256 of the SHA-256 of its pieces, in their order. The browser's own implementation
 * takes no streams, and hashes a piece outside of the page's thread.
 */
export class PieceHash {
  readonly #digests: Promise<ArrayBuffer>[] = [];

  has(index: number): boolean {
    return this.#digests[index] !== undefined;
  }

  /** Adds a piece once. Its bytes must not change. */
  add(index: number, piece: Uint8Array<ArrayBuffer>): void {
    this.#digests[index] ??= crypto.subtle.digest('SHA-256', piece);
  }

  /** Hexadecimal; all pieces must have been added. */
  async checksum(): Promise<string> {
    const digests = await Promise.all(this.#digests);
    const all = await crypto.subtle.digest('SHA-256', await new Blob(digests).arrayBuffer());
    return Array.from(new Uint8Array(all), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
