/** An encoded message for any number of connections. The first transport of each kind caches its framed form. */
export interface Encoded {
  readonly data: string | Uint8Array;
  /** A complete WebSocket frame. */
  frame?: Buffer | undefined;
  /** A complete server-sent event. */
  event?: string | undefined;
}
