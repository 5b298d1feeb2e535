import type { TransportName } from '../types.ts';

/** Bytes ready to be sent to any number of connections, with the frame that the first WebSocket made of them. */
export interface Encoded {
  readonly data: string | Uint8Array;
  frame?: Buffer | undefined;
}

/** One way to carry bytes to a client and back. */
export interface Transport {
  readonly name: TransportName;
  /** Whether it carries arbitrary bytes, not only text. */
  readonly binary: boolean;
  /** Bytes that the operating system has not taken yet. */
  readonly buffered: number;
  send(encoded: Encoded): void;
  /** Stop and continue reading from the client. */
  pause(): void;
  resume(): void;
  /** Ends after what was sent has gone out. */
  close(): void;
  /** Ends at once. */
  destroy(): void;
}
