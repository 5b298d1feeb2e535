import type { AnyContext, AnyDefinition, Limits, StatefulReconnect, Timings } from '../hub.ts';
import type { Samples } from '../metrics.ts';
import type { Protocol } from '../protocol/messages.ts';
import type { Clock, Logger } from '../types.ts';
import type { Connection } from './connection.ts';
import type { LongPollingTransport } from './long-polling.ts';
import type { Method } from './method.ts';

/** What happened since the start of the hub, in counts. */
export interface Counters {
  invocations: number;
  failures: number;
  protocolErrors: number;
  /** Clients that opened a transport and never shook hands. */
  handshakeTimeouts: number;
  /** Clients that were closed because they read too slowly. */
  slow: number;
  /** Clients that came back to their connection after a broken line, and messages that were sent again to them. */
  resumed: number;
  replayed: number;
  /** Messages that were kept for a client which did not come back. */
  dropped: number;
}

/** What a connection needs from its hub. */
export interface ConnectionHost {
  readonly definition: AnyDefinition;
  readonly limits: Limits;
  /** The largest limit of any method. */
  readonly maxBytes: number;
  readonly timings: Timings;
  readonly statefulReconnect: StatefulReconnect | undefined;
  readonly protocols: ReadonlyMap<string, Protocol>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly detailedErrors: boolean;
  readonly counters: Counters;
  method(target: string): Method | undefined;
  contextOf(connection: Connection): AnyContext;
  /** A context of its own for one stream, with the stream's signal. */
  streamContextOf(connection: Connection, signal: () => AbortSignal): AnyContext;
  /** The handshake is done: messages may reach the connection. Throws what the hub's `identity` throws. */
  activated(connection: Connection): void;
  /** The connection is over: nothing reaches it any more, and the hub's `onDisconnected` runs if it is due. */
  ended(connection: Connection): void;
  runDisconnected(connection: Connection): void;
  /** The client is back on a new transport. */
  resumed(connection: Connection): void;
  /** The connection is over, but its client has yet to fetch the end of it. */
  leaving(connection: Connection, transport: LongPollingTransport): void;
  /** Round trips to clients, ms. */
  readonly roundTrips: Samples;
}
