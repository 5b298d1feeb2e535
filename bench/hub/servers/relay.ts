import type { Server } from 'node:http';

/** The data of a message: 1,024 bytes of JSON. */
export interface Data {
  readonly session: string;
  readonly type: string;
  readonly data: string;
}

export interface Counts {
  /** Messages relayed to the other client in the room. */
  relayed: number;
}

/** Adds connections to the room of their query, and relays each message to the others in the room. */
export type Relay = (http: Server, counts: Counts) => void;
