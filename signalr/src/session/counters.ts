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
