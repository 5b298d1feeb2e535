import type { Server } from 'node:http';

/** What all clients send: 1,024 bytes of JSON. */
export interface Data {
  readonly session: string;
  readonly type: string;
  readonly data: string;
}

export interface Counts {
  /** Messages handed on to the other one in the room. */
  relayed: number;
}

/** Lets connections into the room that their query names, and hands each message on to the others in it. */
export type Relay = (http: Server, counts: Counts) => void;
