import type { Encoded } from '../protocol/encoded.ts';
import { frame } from '../protocol/frame.ts';

/** The maximum of kept bytes, as a multiple of the buffer size. */
const maxBufferFactor = 4;
/** Received bytes at which an acknowledgement is sent immediately, as a share of the buffer size, so that the client's streams do not wait. */
const urgentAckShare = 1 / 4;
/** The age at which an acknowledgement is sent with the next message, or by the check once a second: less than 2 s in total, ms. */
const ackMs = 900;
/** The minimum number of acknowledged messages to remove from the array in one step. */
const minSpliceCount = 64;

/**
 * The state of stateful reconnect (SPEC.md, S rules). Calls, items and completions are numbered from 1 in both directions; sent
 * messages are kept until the client acknowledges them.
 */
export class Resume {
  readonly #bufferBytes: number;
  /** Sent messages that are not acknowledged, from `#head` on. */
  #kept: Encoded[] = [];
  #head = 0;
  /** The number of the last message sent. */
  #sent = 0;
  /** The number of the next message on this transport, and of the last message that was handled. */
  #next = 1;
  #received = 0;
  #acknowledged = 0;
  /** Bytes received since the last acknowledgement, and when the first of them arrived, ms since the epoch. */
  #unackedBytes = 0;
  #unackedSince = 0;
  /** The last message that the client has acknowledged, and the last one that was dropped without an acknowledgement. */
  #confirmed = 0;
  #forgotten = 0;
  /** Whether the client has not yet sent its Sequence message on a new transport. */
  awaitsSequence = false;
  /** The total size of the kept messages. */
  bytes = 0;

  constructor(bufferBytes: number) {
    this.#bufferBytes = bufferBytes;
  }

  /** The number of kept messages. */
  get count(): number {
    return this.#kept.length - this.#head;
  }

  /** Whether streams should wait. */
  get isFull(): boolean {
    return this.bytes >= this.#bufferBytes;
  }

  /** Whether all messages that the client may have missed are kept. */
  get isComplete(): boolean {
    return this.#confirmed >= this.#forgotten;
  }

  /**
   * Numbers and keeps a message. Returns false when a disconnected client has exceeded the limit. For a connected client the oldest
   * messages are dropped; it can be resumed again when it has acknowledged them.
   */
  keep(encoded: Encoded, isDisconnected: boolean): boolean {
    encoded.frame ??= frame(encoded.data);
    this.bytes += encoded.frame.length;
    this.#sent++;
    this.#kept.push(encoded);
    while (this.bytes > maxBufferFactor * this.#bufferBytes) {
      if (isDisconnected) return false;
      this.#forgotten = this.#sent - this.count + 1;
      this.#drop();
      this.#compact();
    }
    return true;
  }

  /** The client has acknowledged all messages up to this number. */
  acknowledged(sequenceId: number): void {
    this.#confirmed = Math.max(this.#confirmed, sequenceId);
    const first = this.#sent - this.count + 1;
    const stop = Math.min(this.#kept.length, this.#head + (sequenceId - first + 1));
    while (this.#head < stop) this.#drop();
    this.#compact();
  }

  #drop(): void {
    this.bytes -= this.#kept[this.#head]?.frame?.length ?? 0;
    // Drops the reference: slower clients may share the message.
    this.#kept[this.#head++] = released;
  }

  #compact(): void {
    if (this.#head === this.#kept.length) {
      this.#kept = [];
      this.#head = 0;
    } else if (this.#head >= minSpliceCount && this.#head * 2 >= this.#kept.length) {
      this.#kept.splice(0, this.#head);
      this.#head = 0;
    }
  }

  /** Counts a received message of this size. Returns false for a repetition. */
  arrived(bytes: number, now: number): boolean {
    const id = this.#next++;
    if (id <= this.#received) return false;
    if (this.#received === this.#acknowledged) this.#unackedSince = now;
    this.#received = id;
    this.#unackedBytes += bytes;
    return true;
  }

  /** Handles the client's Sequence message: the number of its next message. Returns false when messages are missing. */
  sequence(sequenceId: number): boolean {
    this.awaitsSequence = false;
    if (sequenceId > this.#received + 1) return false;
    this.#next = sequenceId;
    // The last acknowledgement may have been lost with the old transport.
    this.#acknowledged = sequenceId - 1;
    return true;
  }

  /** Returns the messages to repeat on a new transport, and the number of the first one. */
  reattached(): { readonly first: number; readonly kept: readonly Encoded[] } {
    this.awaitsSequence = true;
    this.#next = this.#received + 1;
    const kept = this.#kept.slice(this.#head);
    return { first: this.#sent - kept.length + 1, kept };
  }

  /** Whether enough bytes were received for an immediate acknowledgement. */
  get isAckUrgent(): boolean {
    return this.#unackedBytes >= urgentAckShare * this.#bufferBytes;
  }

  /** Returns the number to acknowledge now; undefined when there is none or it can wait. */
  toAcknowledge(now: number): number | undefined {
    if (this.#received === this.#acknowledged) return undefined;
    if (!this.isAckUrgent && now - this.#unackedSince < ackMs) return undefined;
    this.#acknowledged = this.#received;
    this.#unackedBytes = 0;
    return this.#received;
  }
}

const released: Encoded = { data: '' };
