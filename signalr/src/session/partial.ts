const minBufferBytes = 256;

/** Bytes of an incomplete message in one growing buffer: many small parts are copied once or twice in total, not once per part. */
export class PartialMessage {
  #buffer: Buffer;
  #start: number;
  #end: number;
  /** The total size of the message; 0: not known. */
  expectedBytes = 0;

  private constructor(buffer: Buffer, start: number, end: number) {
    this.#buffer = buffer;
    this.#start = start;
    this.#end = end;
  }

  /** Keeps a copy of `data` from `offset` on: the data may be a small part of a large buffer and may be kept for a long time. */
  static copyOf(data: Buffer, offset: number): PartialMessage {
    const length = data.length - offset;
    const buffer = Buffer.allocUnsafeSlow(Math.max(minBufferBytes, length));
    data.copy(buffer, 0, offset);
    return new PartialMessage(buffer, 0, length);
  }

  /** Keeps `data` from `offset` on without a copy, for a short time. */
  static of(data: Buffer, offset: number): PartialMessage {
    return new PartialMessage(data, offset, data.length);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Appends data. The buffer doubles when it is full, to at most `maxBytes` unless more are needed. */
  append(data: Buffer, maxBytes: number): void {
    const needed = this.length + data.length;
    if (this.#end + data.length > this.#buffer.length) {
      const size = Math.max(needed, Math.min(2 * needed, maxBytes));
      const larger = Buffer.allocUnsafeSlow(size);
      this.#buffer.copy(larger, 0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
      this.#buffer = larger;
    }
    data.copy(this.#buffer, this.#end);
    this.#end += data.length;
  }
}
