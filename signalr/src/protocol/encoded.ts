/** Bytes ready to be sent to any number of connections, with what the first transport of each kind made of them. */
export interface Encoded {
  readonly data: string | Uint8Array;
  /** A complete WebSocket frame. */
  frame?: Buffer | undefined;
  /** A complete server-sent event. */
  event?: string | undefined;
}
