import type { ServerResponse } from 'node:http';
import type { Encoded } from '../protocol/encoded.ts';
import type { TransportName } from '../types.ts';

/** The bodies of a client's POST requests, as far as the connection deals with them. */
export interface RequestBodies {
  /** Called once a second: gives up a body that takes too long. */
  tick(now: number): void;
  /** The connection has ended: gives up a body that is incomplete. */
  end(): void;
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
  readonly inbox?: RequestBodies;
  /** Once a second. Undefined: the client is kept alive, and found dead, by pings. */
  tick?(now: number): void;
  /** Measures a round trip to the client where the transport has a way to. */
  probe?(): void;
}

/** A transport whose client asks for what is there. */
export interface PollingTransport extends Transport {
  /** Answers with what is waiting, or holds the poll. Returns false when it was the last one. */
  poll(response: ServerResponse, more: object): boolean;
}
