/** Counts of events since the start of the hub. */
export interface Counters {
  invocations: number;
  failures: number;
  protocolErrors: number;
  /** Clients that opened a transport and sent no handshake. */
  handshakeTimeouts: number;
  /** Clients that were closed because they read too slowly. */
  slow: number;
  /** Stateful reconnects, and the messages that were repeated in them. */
  resumed: number;
  replayed: number;
  /** Unacknowledged messages of clients that did not reconnect. */
  dropped: number;
}
