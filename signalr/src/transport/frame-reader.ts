import { isUtf8 } from 'node:buffer';

/** What becomes of a client's bytes. */
export interface FrameSink {
  /** The payload of a whole message. */
  message(payload: Buffer): void;
  /** Bytes that `ws` has to read, in their order. */
  rest(bytes: Buffer): void;
}

/** The longest header (RFC 6455, 5.2): two bytes, eight of length, four of mask. */
const longestHeader = 14;
/** The longest payload of a control frame, bytes. */
const longestControl = 125;
/** Below, a loop over bytes is quicker than making a view of words. */
const worthWords = 48;

/**
 * Reads what most frames are, a message in one piece that came whole, at a fraction of the cost of a general parser, and leaves all
 * else to `ws`: control frames, fragments, frames that come in parts, and whatever breaks the protocol, so that `ws` alone refuses. `ws` gets
 * every byte of a frame or none, so it never notices what it did not see.
 */
export class FrameReader {
  readonly #maxPayload: number;
  /** How many of the next bytes belong to a frame that `ws` has begun; infinite after a header that it will refuse. */
  #owed = 0;
  /** Whether that frame says goodbye: what comes after it is not for anybody. */
  #closing = false;
  /** The start of a header that came in parts; `ws` has had these bytes. */
  #header: Buffer | undefined;
  /** Whether `ws` has begun a message and not told its end: it is in fragments or in parts, or refused. */
  #pending = false;

  constructor(maxPayload: number) {
    this.#maxPayload = maxPayload;
  }

  /** `ws` has told of a message; it does so while it is handed the last bytes of it. */
  told(): void {
    this.#pending = false;
  }

  /** Takes what the socket delivers; its bytes are unmasked in place. */
  read(chunk: Buffer, sink: FrameSink): void {
    let offset = this.#header ? this.#continueHeader(chunk, this.#header, sink) : 0;
    while (offset < chunk.length) {
      if (this.#owed === 0) {
        if (this.#closing) return;
        const next = this.#readMessage(chunk, offset, sink);
        if (next > 0) {
          offset = next;
          continue;
        }
        this.#owed = this.#measure(chunk, offset);
        if (this.#owed === 0) {
          this.#header = Buffer.from(chunk.subarray(offset));
          return sink.rest(chunk.subarray(offset));
        }
      }
      const end = Math.min(chunk.length, offset + this.#owed);
      this.#owed -= end - offset;
      sink.rest(chunk.subarray(offset, end));
      offset = end;
    }
  }

  /** Hands on a whole message and returns where the next frame starts; 0 when this is none. */
  #readMessage(chunk: Buffer, offset: number, sink: FrameSink): number {
    const first = chunk[offset];
    if ((first !== 0x81 && first !== 0x82) || this.#pending || chunk.length - offset < 6) return 0;
    const second = chunk[offset + 1] as number;
    let mask = offset + 2;
    let length = second & 0x7f;
    if (length === 126) {
      length = chunk.readUInt16BE(mask);
      mask += 2;
    }
    const start = mask + 4;
    const end = start + length;
    if (second < 0x80 || second === 0xff || end > chunk.length || length > this.#maxPayload) return 0;
    unmask(chunk, mask, start, end);
    const payload = chunk.subarray(start, end);
    if (first === 0x81 && !isUtf8(payload)) {
      // Masked again, for `ws` to refuse it.
      unmask(chunk, mask, start, end);
      return 0;
    }
    sink.message(payload);
    return end;
  }

  /** How many bytes of the chunk have been dealt with. */
  #continueHeader(chunk: Buffer, known: Buffer, sink: FrameSink): number {
    const header = Buffer.concat([known, chunk.subarray(0, longestHeader)]);
    const total = this.#measure(header, 0);
    this.#header = total === 0 ? header : undefined;
    const end = total === 0 ? chunk.length : Math.min(chunk.length, total - known.length);
    this.#owed = total === 0 ? 0 : total - known.length - end;
    sink.rest(chunk.subarray(0, end));
    return end;
  }

  /** The length of the frame at `offset`, its header included; 0 while that is not known, infinite when `ws` is to read all that follows. */
  #measure(data: Buffer, offset: number): number {
    const available = data.length - offset;
    if (available < 2) return 0;
    const first = data[offset] as number;
    const second = data[offset + 1] as number;
    const short = second & 0x7f;
    const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (available < 2 + extra) return 0;
    const opcode = first & 0x0f;
    const isControl = opcode >= 8 && opcode <= 10;
    // Reserved bits and opcodes, no mask, a fragment too many or too few: the end.
    const isProper = isControl
      ? first >= 0x80 && short <= longestControl
      : opcode <= 2 && this.#pending === (opcode === 0);
    if (!isProper || (first & 0x70) > 0 || second < 0x80) return Number.POSITIVE_INFINITY;
    if (!isControl) this.#pending = true;
    this.#closing = opcode === 8;
    const length =
      extra === 2
        ? data.readUInt16BE(offset + 2)
        : extra === 8
          ? data.readUInt32BE(offset + 2) * 2 ** 32 + data.readUInt32BE(offset + 6)
          : short;
    return 2 + extra + 4 + length;
  }
}

/** Four bytes, and the same as a word in the order of this machine. */
const keyBytes = new Uint8Array(4);
const keyWord = new Int32Array(keyBytes.buffer);

/** XOR with the four bytes at `mask` (RFC 6455, 5.3), a word at a time. Twice is as if never. */
function unmask(data: Buffer, mask: number, start: number, end: number): void {
  let at = start;
  if (end - start >= worthWords) {
    while (((data.byteOffset + at) & 3) !== 0) at = flip(data, mask, start, at);
    const words = new Int32Array(data.buffer, data.byteOffset + at, (end - at) >> 2);
    const turn = at - start;
    for (let index = 0; index < 4; index++) keyBytes[index] = byteOf(data, mask, turn + index);
    const key = keyWord[0] as number;
    for (let index = 0; index < words.length; index++) words[index] = (words[index] as number) ^ key;
    at += words.length * 4;
  }
  while (at < end) at = flip(data, mask, start, at);
}

function flip(data: Buffer, mask: number, start: number, at: number): number {
  data[at] = (data[at] as number) ^ byteOf(data, mask, at - start);
  return at + 1;
}

function byteOf(data: Buffer, mask: number, turn: number): number {
  return data[mask + (turn & 3)] as number;
}
