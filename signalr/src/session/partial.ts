const smallest = 256;

/** Bytes that cannot be handled yet, in one piece that grows: what comes in many small parts is copied once or twice, not each time. */
export class Partial {
  #buffer: Buffer;
  #start: number;
  #end: number;
  /** The bytes that the message is known to have in all; 0: it is not known. */
  wanted = 0;

  private constructor(buffer: Buffer, start: number, end: number) {
    this.#buffer = buffer;
    this.#start = start;
    this.#end = end;
  }

  /** The rest of `data`, copied: it may be a small part of a large buffer, and stay for long. */
  static copyOf(data: Buffer, offset: number): Partial {
    const length = data.length - offset;
    const buffer = Buffer.allocUnsafeSlow(Math.max(smallest, length));
    data.copy(buffer, 0, offset);
    return new Partial(buffer, 0, length);
  }

  /** The rest of `data` itself, for a short while. */
  static of(data: Buffer, offset: number): Partial {
    return new Partial(data, offset, data.length);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Beyond its room it doubles, up to `enough` bytes where these suffice. */
  append(data: Buffer, enough: number): void {
    const needed = this.length + data.length;
    if (this.#end + data.length > this.#buffer.length) {
      const room = Math.max(needed, Math.min(2 * needed, enough));
      const larger = Buffer.allocUnsafeSlow(room);
      this.#buffer.copy(larger, 0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
      this.#buffer = larger;
    }
    data.copy(this.#buffer, this.#end);
    this.#end += data.length;
  }
}
