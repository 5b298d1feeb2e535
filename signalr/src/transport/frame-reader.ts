import { isUtf8 } from 'node:buffer';

/** Receives what a frame reader has read. */
export interface FrameSink {
  /** The next bytes of messages: a complete message or a part of one. */
  message(payload: Buffer): void;
  /** Bytes for `ws`, in order. */
  toWs(bytes: Buffer): void;
}

/** The maximum header size (RFC 6455, 5.2): two bytes, eight of length, four of mask. */
const maxHeaderBytes = 14;
/** The maximum payload of a control frame, bytes. */
const maxControlBytes = 125;
/** Below this size a loop over bytes is faster than creating a view of words. */
const minWordBytes = 48;

/** Frames that make `ws` refuse the connection with the same close code as for the client's frame (RFC 6455, 5.4 and 8.1). */
const strayContinuation = [0x80, 0x80];
const notUtf8 = [0x81, 0x81, 0, 0, 0, 0, 0xff];
const tooLong = [0x82, 0xff, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

/**
 * Reads the frames of a client: unmasks and validates message data and passes it on as it arrives, so that an incomplete message is
 * not buffered here. Control frames and protocol violations are passed to `ws`, which responds to them. `ws` receives no data frames.
 */
export class FrameReader {
  readonly #maxPayload: number;
  /** The start of an incomplete header. */
  #header: Buffer | undefined;
  #headerBytes = 0;
  /** The bytes of the current frame that have not arrived. */
  #left = 0;
  #isControl = false;
  /** Whether the control frame is a close frame. */
  #isClosing = false;
  /** The mask of an incomplete frame (big-endian), and the position of the next byte in it. */
  #key = 0;
  #maskOffset = 0;
  /** The size of the current message so far; below 0: there is none. */
  #total = -1;
  #isText = false;
  #isFinal = false;
  /** The start of an incomplete UTF-8 character. */
  #character: Buffer | undefined;
  /** After a close frame or a protocol violation further bytes are discarded. */
  #isOver = false;

  constructor(maxPayload: number) {
    this.#maxPayload = maxPayload;
  }

  /** Whether a header, frame or message is incomplete. */
  get hasPartialFrame(): boolean {
    return this.#headerBytes > 0 || this.#left > 0 || this.#total >= 0;
  }

  /** Reads a chunk of the socket, and unmasks it in place. */
  read(chunk: Buffer, sink: FrameSink): void {
    let offset = 0;
    while (offset < chunk.length && !this.#isOver) {
      if (this.#left > 0) {
        offset = this.#isControl ? this.#readControl(chunk, offset, sink) : this.#readPart(chunk, offset, sink);
        continue;
      }
      const next = this.#headerBytes === 0 && this.#total < 0 ? this.#readMessage(chunk, offset, sink) : 0;
      offset = next > 0 ? next : this.#readHeader(chunk, offset, sink);
    }
  }

  /** The fast path: passes on a complete message in one frame and returns the offset behind it; 0 when it is not one. */
  #readMessage(chunk: Buffer, offset: number, sink: FrameSink): number {
    const first = chunk[offset];
    if ((first !== 0x81 && first !== 0x82) || chunk.length - offset < 6) return 0;
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
    unmask(chunk, chunk, mask, start, end);
    const payload = chunk.subarray(start, end);
    if (first === 0x81 && !isUtf8(payload)) this.#refuse(notUtf8, sink);
    else sink.message(payload);
    return end;
  }

  /** Reads a header or a part of it. Returns the offset behind it. */
  #readHeader(chunk: Buffer, start: number, sink: FrameSink): number {
    this.#header ??= Buffer.allocUnsafe(maxHeaderBytes);
    const header = this.#header;
    let offset = start;
    while (offset < chunk.length) {
      header[this.#headerBytes++] = chunk[offset++] as number;
      if (this.#headerBytes < 2) continue;
      const second = header[1] as number;
      const short = second & 0x7f;
      const lengthEnd = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
      if (this.#headerBytes === 2 && !this.#isValidStart(header[0] as number, second, sink)) return chunk.length;
      if (this.#headerBytes === lengthEnd && !this.#isWithinLimit(lengthOf(header, short), sink)) return chunk.length;
      if (this.#headerBytes < lengthEnd + 4) continue;
      this.#begin(header, lengthOf(header, short), lengthEnd, sink);
      return offset;
    }
    return offset;
  }

  /** Whether the first two bytes of a header are valid; passes invalid ones to `ws`. */
  #isValidStart(first: number, second: number, sink: FrameSink): boolean {
    const opcode = first & 0x0f;
    const isControl = opcode >= 8 && opcode <= 10;
    const isReserved = (first & 0x70) > 0;
    const isOpen = this.#total >= 0;
    if (!isControl && !isReserved && opcode <= 2 && isOpen !== (opcode === 0)) {
      this.#refuse(strayContinuation, sink);
      return false;
    }
    const isKnown = isControl ? first >= 0x80 && (second & 0x7f) <= maxControlBytes : opcode <= 2;
    if (isKnown && !isReserved && second >= 0x80) return true;
    // `ws` has no open message, so an invalid continuation is sent as a binary frame.
    this.#refuse([opcode === 0 ? first | 2 : first, second], sink);
    return false;
  }

  #isWithinLimit(length: number, sink: FrameSink): boolean {
    if (length > Number.MAX_SAFE_INTEGER) this.#refuse([...(this.#header ?? [])].with(0, 0x82).slice(0, 10), sink);
    else if (Math.max(0, this.#total) + length > this.#maxPayload) this.#refuse(tooLong, sink);
    return !this.#isOver;
  }

  /** Starts a frame after its header. */
  #begin(header: Buffer, length: number, lengthEnd: number, sink: FrameSink): void {
    const first = header[0] as number;
    const opcode = first & 0x0f;
    this.#isControl = opcode >= 8;
    this.#left = length;
    if (this.#isControl) {
      const whole = Buffer.from(header.subarray(0, lengthEnd + 4));
      this.#forgetHeader();
      sink.toWs(whole);
      this.#isClosing = opcode === 8;
      this.#isOver = this.#isClosing && length === 0;
      return;
    }
    this.#key = header.readUInt32BE(lengthEnd);
    this.#maskOffset = 0;
    this.#forgetHeader();
    if (opcode > 0) this.#isText = opcode === 1;
    this.#isFinal = first >= 0x80;
    this.#total = Math.max(0, this.#total) + length;
    if (length === 0) this.#endFrame(sink);
  }

  #forgetHeader(): void {
    this.#headerBytes = 0;
    this.#header = undefined;
  }

  /** Reads bytes of a control frame. */
  #readControl(chunk: Buffer, offset: number, sink: FrameSink): number {
    const end = Math.min(chunk.length, offset + this.#left);
    this.#left -= end - offset;
    if (this.#left === 0 && this.#isClosing) this.#isOver = true;
    sink.toWs(chunk.subarray(offset, end));
    return end;
  }

  /** Reads bytes of a fragmented message or an incomplete frame. */
  #readPart(chunk: Buffer, offset: number, sink: FrameSink): number {
    const end = Math.min(chunk.length, offset + this.#left);
    for (let index = 0; index < 4; index++)
      rotatedMask[index] = this.#key >>> (24 - 8 * ((this.#maskOffset + index) & 3));
    unmask(chunk, rotatedMask, 0, offset, end);
    this.#maskOffset = (this.#maskOffset + end - offset) & 3;
    this.#left -= end - offset;
    const part = chunk.subarray(offset, end);
    if (this.#isText && !this.#isTextSoFar(part)) {
      this.#refuse(notUtf8, sink);
      return chunk.length;
    }
    sink.message(part);
    if (this.#left === 0) this.#endFrame(sink);
    return end;
  }

  #endFrame(sink: FrameSink): void {
    if (!this.#isFinal) return;
    this.#total = -1;
    if (this.#character) this.#refuse(notUtf8, sink);
  }

  /** Whether the text so far is valid UTF-8, except for an incomplete last character. */
  #isTextSoFar(part: Buffer): boolean {
    const text = this.#character ? Buffer.concat([this.#character, part]) : part;
    const open = incompleteCharacterBytes(text);
    this.#character = open > 0 ? Buffer.from(text.subarray(text.length - open)) : undefined;
    return isUtf8(text.subarray(0, text.length - open));
  }

  #refuse(frame: readonly number[], sink: FrameSink): void {
    this.#isOver = true;
    this.#forgetHeader();
    sink.toWs(Buffer.from(frame));
  }
}

function lengthOf(header: Buffer, short: number): number {
  if (short === 126) return header.readUInt16BE(2);
  return short === 127 ? header.readUInt32BE(2) * 2 ** 32 + header.readUInt32BE(6) : short;
}

/** Returns the number of bytes of an incomplete character at the end (RFC 3629, 3). */
function incompleteCharacterBytes(text: Buffer): number {
  for (let back = 1; back <= Math.min(3, text.length); back++) {
    const byte = text[text.length - back] as number;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** The mask as four bytes and as one word in native byte order. */
const keyBytes = new Uint8Array(4);
const keyWord = new Int32Array(keyBytes.buffer);
/** The mask of an incomplete frame, rotated to the position of its next byte. */
const rotatedMask = new Uint8Array(4);

/** XORs the data with the four bytes at `mask` of `from` (RFC 6455, 5.3), a word at a time. */
function unmask(data: Buffer, from: Uint8Array, mask: number, start: number, end: number): void {
  let at = start;
  if (end - start >= minWordBytes) {
    while (((data.byteOffset + at) & 3) !== 0) at = unmaskByte(data, from, mask, start, at);
    const words = new Int32Array(data.buffer, data.byteOffset + at, (end - at) >> 2);
    const turn = at - start;
    for (let index = 0; index < 4; index++) keyBytes[index] = maskByte(from, mask, turn + index);
    const key = keyWord[0] as number;
    for (let index = 0; index < words.length; index++) words[index] = (words[index] as number) ^ key;
    at += words.length * 4;
  }
  while (at < end) at = unmaskByte(data, from, mask, start, at);
}

function unmaskByte(data: Buffer, from: Uint8Array, mask: number, start: number, at: number): number {
  data[at] = (data[at] as number) ^ maskByte(from, mask, at - start);
  return at + 1;
}

function maskByte(from: Uint8Array, mask: number, turn: number): number {
  return from[mask + (turn & 3)] as number;
}
