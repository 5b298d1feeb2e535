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
  /** The opened streams of `streamIds`; not part of the message on the wire. */
  uploads?: readonly AsyncIterable<unknown>[] | undefined;
}

export interface StreamItem {
  readonly type: 2;
  readonly invocationId: string;
  readonly item: unknown;
}

/** Ends an invocation: with `error`, with `result` when `hasResult`, or without either (the end of a stream). */
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

/** Stateful reconnect: acknowledges all messages up to this number. */
export interface Ack {
  readonly type: 8;
  readonly sequenceId: number;
}

/** Stateful reconnect: the number of the first message that is sent or repeated on a new transport. */
export interface Sequence {
  readonly type: 9;
  readonly sequenceId: number;
}

export type Message = Invocation | StreamItem | Completion | CancelInvocation | Ping | Close | Ack | Sequence;

/** The client violated the protocol; the connection ends. The message is sent to the client only with detailed errors. */
export class ProtocolError extends Error {
  override readonly name = 'InvalidDataException';
}

/** A message larger than the limit of every method. `head` is its start, which usually contains the method's name. */
export class TooLarge extends ProtocolError {
  readonly head: string;
  constructor(message: string, head: string) {
    super(message);
    this.head = head;
  }
}

/** A complete message (undefined: of an unknown type, to be ignored), its size without framing, and the offset behind it. */
export interface Read {
  readonly message: Message | undefined;
  readonly bytes: number;
  readonly next: number;
}

/** Encodes and decodes messages. It has no state: the connection keeps incomplete messages. */
export interface Protocol {
  readonly name: string;
  readonly binary: boolean;
  /** The byte that ends every message, if there is one. An incomplete message is then read once, when the byte has arrived. */
  readonly separator?: number;
  /**
   * Returns the message that starts at `offset`. When it is incomplete, returns its total number of bytes from `offset` if known, else
   * undefined. Throws `ProtocolError` for a violation of the protocol, which ends the connection. Other errors end the connection too
   * and are logged as errors.
   */
  read(data: Buffer, offset: number, limit: number): Read | number | undefined;
  write(message: Message): string | Uint8Array;
}
