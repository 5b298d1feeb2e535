import type { Encoded } from '../protocol/encoded.ts';
import { frame } from '../protocol/frame.ts';

/** A client may fall behind by this many times the buffer before messages are no longer kept for it. */
const patience = 4;
/** A client that has sent this part of the buffer is told at once that it came, so that its streams need not wait, ... */
const promptly = 1 / 4;
/**
 * ... and otherwise after so many ms, with the next message, as by itself it costs as much as one, or at the next look after all
 * connections, once a second: together less than two.
 */
const ackMs = 900;
/** Acknowledged messages are cut off the array in portions. */
const portion = 64;

/**
 * What makes a connection survive its line (SPEC.md, S rules): calls, items and completions are counted in both directions, from 1
 * and without a break; what was sent is kept until the client acknowledges it.
 */
export class Resume {
  readonly #bufferBytes: number;
  /** Sent and not acknowledged, from `#head` on. */
  #kept: Encoded[] = [];
  #head = 0;
  /** The number of the last message sent. */
  #sent = 0;
  /** The number of the next message to come on this transport, and of the last one that counted. */
  #next = 1;
  #received = 0;
  #acknowledged = 0;
  /** What has come since the last acknowledgement, bytes, and when the first of it came, ms since the epoch. */
  #owed = 0;
  #owedSince = 0;
  /** What the client has, and the last message that was not kept until it had it. */
  #confirmed = 0;
  #forgotten = 0;
  /** Whether the client, back on a new transport, has yet to say where it stands. */
  awaitsSequence = false;
  /** Of the kept messages. */
  bytes = 0;

  constructor(bufferBytes: number) {
    this.#bufferBytes = bufferBytes;
  }

  /** How many messages are kept. */
  get count(): number {
    return this.#kept.length - this.#head;
  }

  /** Whether those who can wait should. */
  get isFull(): boolean {
    return this.bytes >= this.#bufferBytes;
  }

  /** Whether all is there that the client might have missed. */
  get isWhole(): boolean {
    return this.#confirmed >= this.#forgotten;
  }

  /**
   * Counts and keeps a message. False: too much for a client that is away. For one that is there the oldest are given up: it has them,
   * most likely, and cannot be resumed until it has said so.
   */
  keep(encoded: Encoded, isAway: boolean): boolean {
    encoded.frame ??= frame(encoded.data);
    this.bytes += encoded.frame.length;
    this.#sent++;
    this.#kept.push(encoded);
    while (this.bytes > patience * this.#bufferBytes) {
      if (isAway) return false;
      this.#forgotten = this.#sent - this.count + 1;
      this.#drop();
      this.#tidy();
    }
    return true;
  }

  /** The client has everything up to this number. */
  acknowledged(sequenceId: number): void {
    this.#confirmed = Math.max(this.#confirmed, sequenceId);
    const first = this.#sent - this.count + 1;
    const stop = Math.min(this.#kept.length, this.#head + (sequenceId - first + 1));
    while (this.#head < stop) this.#drop();
    this.#tidy();
  }

  #drop(): void {
    this.bytes -= this.#kept[this.#head]?.frame?.length ?? 0;
    // The message may be shared with slower clients; this one is done with it.
    this.#kept[this.#head++] = released;
  }

  #tidy(): void {
    if (this.#head === this.#kept.length) {
      this.#kept = [];
      this.#head = 0;
    } else if (this.#head >= portion && this.#head * 2 >= this.#kept.length) {
      this.#kept.splice(0, this.#head);
      this.#head = 0;
    }
  }

  /** A message of so many bytes has come that counts. False: it has been here before. */
  arrived(bytes: number, now: number): boolean {
    const id = this.#next++;
    if (id <= this.#received) return false;
    if (this.#received === this.#acknowledged) this.#owedSince = now;
    this.#received = id;
    this.#owed += bytes;
    return true;
  }

  /** The client says which number comes next. False: what lies between was lost. */
  sequence(sequenceId: number): boolean {
    this.awaitsSequence = false;
    if (sequenceId > this.#received + 1) return false;
    this.#next = sequenceId;
    // That is all it knows to have arrived: an acknowledgement may have been lost with the old line.
    this.#acknowledged = sequenceId - 1;
    return true;
  }

  /** A new transport: what to repeat, and the number of the first of it. */
  reattached(): { readonly first: number; readonly kept: readonly Encoded[] } {
    this.awaitsSequence = true;
    this.#next = this.#received + 1;
    const kept = this.#kept.slice(this.#head);
    return { first: this.#sent - kept.length + 1, kept };
  }

  /** Whether so much has come that the client should hear of it at once. */
  get isPressing(): boolean {
    return this.#owed >= promptly * this.#bufferBytes;
  }

  /** The number to acknowledge, or undefined while that can wait. */
  toAcknowledge(now: number): number | undefined {
    if (this.#received === this.#acknowledged) return undefined;
    if (!this.isPressing && now - this.#owedSince < ackMs) return undefined;
    this.#acknowledged = this.#received;
    this.#owed = 0;
    return this.#received;
  }
}

const released: Encoded = { data: '' };
