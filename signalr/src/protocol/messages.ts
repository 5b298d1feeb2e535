/** The messages of the hub protocol (SPEC.md, M rules). Types 8 and 9 belong to stateful reconnect. */
export const type = {
  invocation: 1,
  streamItem: 2,
  completion: 3,
  streamInvocation: 4,
  cancelInvocation: 5,
  ping: 6,
  close: 7,
  ack: 8,
  sequence: 9,
} as const;

export interface Invocation {
  readonly type: 1 | 4;
  readonly target: string;
  readonly arguments: readonly unknown[];
  readonly invocationId?: string | undefined;
  readonly streamIds?: readonly string[] | undefined;
  /** The streams behind `streamIds`, once they are open; never on the wire. */
  uploads?: readonly AsyncIterable<unknown>[] | undefined;
}

export interface StreamItem {
  readonly type: 2;
  readonly invocationId: string;
  readonly item: unknown;
}

/** An answer: `error`, or a `result` when `hasResult`, or nothing more (the end of a stream). */
export interface Completion {
  readonly type: 3;
  readonly invocationId: string;
  readonly error?: string | undefined;
  readonly hasResult?: boolean | undefined;
  readonly result?: unknown;
}

export interface CancelInvocation {
  readonly type: 5;
  readonly invocationId: string;
}

export interface Ping {
  readonly type: 6;
}

export interface Close {
  readonly type: 7;
  readonly error?: string | undefined;
  readonly allowReconnect?: boolean | undefined;
}

/** Stateful reconnect: everything up to this number has arrived. */
export interface Ack {
  readonly type: 8;
  readonly sequenceId: number;
}

/** Stateful reconnect: the number of the first message that is sent (again) on a new transport. */
export interface Sequence {
  readonly type: 9;
  readonly sequenceId: number;
}

export type Message = Invocation | StreamItem | Completion | CancelInvocation | Ping | Close | Ack | Sequence;

/** The client broke the protocol; the connection ends. Clients see the message only with detailed errors. */
export class ProtocolError extends Error {
  override readonly name = 'InvalidDataException';
}

/** A message over the limit of every method. `head` is its start, for finding the method's name. */
export class TooLarge extends ProtocolError {
  readonly head: string;
  constructor(message: string, head: string) {
    super(message);
    this.head = head;
  }
}

/** A complete message (undefined: of a type to be ignored), its size without framing, and the offset behind it. */
export interface Read {
  readonly message: Message | undefined;
  readonly bytes: number;
  readonly next: number;
}

/** Turns messages into bytes and back. It has no state: what is incomplete stays with the connection. */
export interface Protocol {
  readonly name: string;
  readonly binary: boolean;
  /** The byte with which every message ends, if there is one. A message that comes in parts is then read once, when it is whole. */
  readonly separator?: number;
  /**
   * The message that starts at `offset`. When more bytes are needed: how many it has in all, counted from `offset`, where that is
   * known, else undefined. Throws `ProtocolError` for what breaks the protocol;
   * the connection ends then. Whatever else it throws ends the connection too, and is logged as an error.
   */
  read(data: Buffer, offset: number, limit: number): Read | number | undefined;
  write(message: Message): string | Uint8Array;
}
