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

/** A transport of one connection. */
export interface Transport {
  readonly name: TransportName;
  /** Whether it supports binary messages. */
  readonly binary: boolean;
  /** Unsent bytes: not yet taken by the operating system (long polling: by the client). */
  readonly buffered: number;
  /** Whether senders should wait (back-pressure). */
  readonly congested: boolean;
  send(encoded: Encoded): void;
  /** Messages sent between both calls go out in one write. */
  cork?(): void;
  uncork?(): void;
  /** Calls back once when it is no longer congested. */
  onDrain(callback: () => void): void;
  /** Pause and continue reading from the client. */
  pause(): void;
  resume(): void;
  /** Closes after the sent messages have gone out. */
  close(): void;
  /** Closes immediately. */
  destroy(): void;
  /** Whether a frame is incomplete, in addition to the incomplete message that the connection keeps. */
  readonly hasPartialFrame?: boolean;
  /** The client's POST requests. */
  readonly posts?: RequestBodies;
  /** Called once a second; checks the transport's timeouts. Undefined: keep-alive pings and the client timeout apply. */
  tick?(now: number): void;
  /** Measures a round trip to the client, if the transport can. */
  probe?(): void;
}

/** A transport whose client polls for messages. */
export interface PollingTransport extends Transport {
  /** Responds with the waiting messages or holds the poll. Returns false when it was the last one. */
  poll(response: ServerResponse, more: object): boolean;
}
