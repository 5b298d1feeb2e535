import type { TransportName } from '../types.ts';
import type { Inbox } from './inbox.ts';

/** Bytes ready to be sent to any number of connections, with what the first transport of each kind made of them. */
export interface Encoded {
  readonly data: string | Uint8Array;
  /** A complete WebSocket frame. */
  frame?: Buffer | undefined;
  /** A complete server-sent event. */
  event?: string | undefined;
}

/** One way to carry bytes to a client and back. */
export interface Transport {
  readonly name: TransportName;
  /** Whether it carries arbitrary bytes, not only text. */
  readonly binary: boolean;
  /** Bytes that the operating system (long polling: the client) has not taken yet. */
  readonly buffered: number;
  /** Whether somebody who can wait should do so before sending more. */
  readonly congested: boolean;
  send(encoded: Encoded): void;
  /** What is sent in between goes out together. */
  cork?(): void;
  uncork?(): void;
  /** Calls back once, when it is no longer congested. */
  onDrain(callback: () => void): void;
  /** Stop and continue reading from the client. */
  pause(): void;
  resume(): void;
  /** Ends after what was sent has gone out. */
  close(): void;
  /** Ends at once. */
  destroy(): void;
  /** Whether the client has begun something of which the rest is yet to come, besides what the connection keeps. */
  readonly isMidway?: boolean;
  /** What the client sends by POST. */
  readonly inbox?: Inbox;
  /** Once a second. Undefined: the client is kept alive, and found dead, by pings. */
  tick?(now: number): void;
  /** Measures a round trip to the client where the transport has a way to. */
  probe?(): void;
}
