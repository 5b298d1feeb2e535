import type { Message } from '../protocol/messages.ts';
import type { Logger } from '../types.ts';
import type { Counters } from './counters.ts';

/** Why a client is not read; several reasons may hold at the same time. */
export const pauseReason = { queue: 1, uploads: 2, turn: 4 } as const;

/** The part of a connection that calls and streams use: it sends to the client, slows it down, and logs. */
export interface ClientChannel {
  readonly id: string;
  readonly host: { readonly counters: Counters; readonly logger: Logger; readonly detailedErrors: boolean };
  /** Throws what the encoding throws. */
  sendMessage(message: Message): void;
  /** Never throws: when the message cannot be encoded, the connection ends. */
  respond(message: Message): void;
  /** Resolves when the client takes more; undefined: it does so now. */
  writable(): Promise<void> | undefined;
  /** Stops or continues the reading of this client, for one of several reasons. */
  pauseReading(reason: number, isPaused: boolean): void;
  /** Logs what a listener of an abort signal throws. */
  readonly abortFailed: (error: unknown) => void;
}
