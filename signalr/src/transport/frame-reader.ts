import { isUtf8 } from 'node:buffer';

/** What becomes of a client's bytes. */
export interface FrameSink {
  /** The next bytes of messages: a whole one, or a part of one. */
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

/** Frames that `ws`, which sees no messages, refuses as it would refuse what the client has sent (RFC 6455, 5.4 and 8.1). */
const continuesNothing = [0x80, 0x80];
const notUtf8 = [0x81, 0x81, 0, 0, 0, 0, 0xff];
const tooLong = [0x82, 0xff, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

/**
 * Reads the messages of a client: unmasked, checked, and handed on as they come, so that half a message costs no more here than
 * its bytes do there. Control frames go to `ws`, and so does what breaks the protocol: `ws` alone answers and refuses. It never
 * sees a message, so it never notices what it did not see.
 */
export class FrameReader {
  readonly #maxPayload: number;
  /** The start of a header that came in parts. */
  #header: Buffer | undefined;
  #headerBytes = 0;
  /** How many bytes of a message's frame, or of a control frame, are yet to come. */
  #left = 0;
  #isControl = false;
  /** Whether that control frame says goodbye. */
  #isClosing = false;
  /** The mask of a frame that came in parts, the first byte highest, and where in it the next byte stands. */
  #key = 0;
  #turn = 0;
  /** The bytes of a message that has begun and is not at its end; below 0: there is none. */
  #total = -1;
  #isText = false;
  #isFinal = false;
  /** The start of a character whose rest is yet to come. */
  #character: Buffer | undefined;
  /** The client has said goodbye, or broken the protocol: what comes now is not for anybody. */
  #isOver = false;

  constructor(maxPayload: number) {
    this.#maxPayload = maxPayload;
  }

  /** Whether something has begun whose end is yet to come. */
  get isMidway(): boolean {
    return this.#headerBytes > 0 || this.#left > 0 || this.#total >= 0;
  }

  /** Takes what the socket delivers; its bytes are unmasked in place. */
  read(chunk: Buffer, sink: FrameSink): void {
    let offset = 0;
    while (offset < chunk.length && !this.#isOver) {
      if (this.#left > 0) {
        offset = this.#isControl ? this.#passOn(chunk, offset, sink) : this.#readPart(chunk, offset, sink);
        continue;
      }
      const next = this.#headerBytes === 0 && this.#total < 0 ? this.#readMessage(chunk, offset, sink) : 0;
      offset = next > 0 ? next : this.#readHeader(chunk, offset, sink);
    }
  }

  /** Hands on a whole message and returns where the next frame starts; 0 when this is none. */
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

  /** Reads a header, or what there is of it. Returns the offset behind it. */
  #readHeader(chunk: Buffer, start: number, sink: FrameSink): number {
    this.#header ??= Buffer.allocUnsafe(longestHeader);
    const header = this.#header;
    let offset = start;
    while (offset < chunk.length) {
      header[this.#headerBytes++] = chunk[offset++] as number;
      if (this.#headerBytes < 2) continue;
      const second = header[1] as number;
      const short = second & 0x7f;
      const lengthEnd = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
      if (this.#headerBytes === 2 && !this.#isProper(header[0] as number, second, sink)) return chunk.length;
      if (this.#headerBytes === lengthEnd && !this.#isShortEnough(lengthOf(header, short), sink)) return chunk.length;
      if (this.#headerBytes < lengthEnd + 4) continue;
      this.#begin(header, lengthOf(header, short), lengthEnd, sink);
      return offset;
    }
    return offset;
  }

  /** Whether `ws` would go on after the first two bytes of a header. */
  #isProper(first: number, second: number, sink: FrameSink): boolean {
    const opcode = first & 0x0f;
    const isControl = opcode >= 8 && opcode <= 10;
    const isReserved = (first & 0x70) > 0;
    const isOpen = this.#total >= 0;
    if (!isControl && !isReserved && opcode <= 2 && isOpen !== (opcode === 0)) {
      this.#refuse(continuesNothing, sink);
      return false;
    }
    const isKnown = isControl ? first >= 0x80 && (second & 0x7f) <= longestControl : opcode <= 2;
    if (isKnown && !isReserved && second >= 0x80) return true;
    // For `ws` no message is open.
    this.#refuse([opcode === 0 ? first | 2 : first, second], sink);
    return false;
  }

  #isShortEnough(length: number, sink: FrameSink): boolean {
    if (length > Number.MAX_SAFE_INTEGER) this.#refuse([...(this.#header ?? [])].with(0, 0x82).slice(0, 10), sink);
    else if (Math.max(0, this.#total) + length > this.#maxPayload) this.#refuse(tooLong, sink);
    return !this.#isOver;
  }

  /** The header of a frame is whole. */
  #begin(header: Buffer, length: number, lengthEnd: number, sink: FrameSink): void {
    const first = header[0] as number;
    const opcode = first & 0x0f;
    this.#isControl = opcode >= 8;
    this.#left = length;
    if (this.#isControl) {
      const whole = Buffer.from(header.subarray(0, lengthEnd + 4));
      this.#forgetHeader();
      sink.rest(whole);
      this.#isClosing = opcode === 8;
      this.#isOver = this.#isClosing && length === 0;
      return;
    }
    this.#key = header.readUInt32BE(lengthEnd);
    this.#turn = 0;
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

  /** Bytes of a control frame. */
  #passOn(chunk: Buffer, offset: number, sink: FrameSink): number {
    const end = Math.min(chunk.length, offset + this.#left);
    this.#left -= end - offset;
    if (this.#left === 0 && this.#isClosing) this.#isOver = true;
    sink.rest(chunk.subarray(offset, end));
    return end;
  }

  /** Bytes of a message whose frame is not whole, or not alone. */
  #readPart(chunk: Buffer, offset: number, sink: FrameSink): number {
    const end = Math.min(chunk.length, offset + this.#left);
    for (let index = 0; index < 4; index++) turned[index] = this.#key >>> (24 - 8 * ((this.#turn + index) & 3));
    unmask(chunk, turned, 0, offset, end);
    this.#turn = (this.#turn + end - offset) & 3;
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

  /** Whether the text is UTF-8 up to the character that the part may end in. */
  #isTextSoFar(part: Buffer): boolean {
    const text = this.#character ? Buffer.concat([this.#character, part]) : part;
    const open = openCharacter(text);
    this.#character = open > 0 ? Buffer.from(text.subarray(text.length - open)) : undefined;
    return isUtf8(text.subarray(0, text.length - open));
  }

  #refuse(frame: readonly number[], sink: FrameSink): void {
    this.#isOver = true;
    this.#forgetHeader();
    sink.rest(Buffer.from(frame));
  }
}

function lengthOf(header: Buffer, short: number): number {
  if (short === 126) return header.readUInt16BE(2);
  return short === 127 ? header.readUInt32BE(2) * 2 ** 32 + header.readUInt32BE(6) : short;
}

/** How many bytes at the end are the start of a character (RFC 3629, 3) that is not whole. */
function openCharacter(text: Buffer): number {
  for (let back = 1; back <= Math.min(3, text.length); back++) {
    const byte = text[text.length - back] as number;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Four bytes, and the same as a word in the order of this machine. */
const keyBytes = new Uint8Array(4);
const keyWord = new Int32Array(keyBytes.buffer);
/** The mask of a frame, from where its next part stands. */
const turned = new Uint8Array(4);

/** XOR with the four bytes at `mask` of `from` (RFC 6455, 5.3), a word at a time. */
function unmask(data: Buffer, from: Uint8Array, mask: number, start: number, end: number): void {
  let at = start;
  if (end - start >= worthWords) {
    while (((data.byteOffset + at) & 3) !== 0) at = flip(data, from, mask, start, at);
    const words = new Int32Array(data.buffer, data.byteOffset + at, (end - at) >> 2);
    const turn = at - start;
    for (let index = 0; index < 4; index++) keyBytes[index] = byteOf(from, mask, turn + index);
    const key = keyWord[0] as number;
    for (let index = 0; index < words.length; index++) words[index] = (words[index] as number) ^ key;
    at += words.length * 4;
  }
  while (at < end) at = flip(data, from, mask, start, at);
}

function flip(data: Buffer, from: Uint8Array, mask: number, start: number, at: number): number {
  data[at] = (data[at] as number) ^ byteOf(from, mask, at - start);
  return at + 1;
}

function byteOf(from: Uint8Array, mask: number, turn: number): number {
  return from[mask + (turn & 3)] as number;
}
