import type { Logger } from '../types.ts';
import type { Subscribing } from './subscriptions.ts';

/** One connection to the server between the processes. It is used until it is lost, never mended. Keys: see {@link topicKey}. */
export interface Wire extends Subscribing {
  /** Does not wait, and never throws. */
  publish(key: string, data: Uint8Array): void;
  request(key: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** Ends when the server has read everything that was sent before. */
  ping(): Promise<unknown>;
  /** Drops the connection at once. Everything under way rejects. */
  cut(): void;
}

/** What a wire tells. Neither throws nor, for `answer`, rejects for want of the process. */
export interface Ears {
  receive(key: string, data: Uint8Array): void;
  answer(key: string, data: Uint8Array): Promise<Uint8Array>;
  lost(cause: unknown): void;
}

export interface RemoteOptions {
  readonly logger?: Logger | undefined;
  /** The server is asked for a sign of life this often; a line without one for three times as long is cut. Default 3,000. */
  readonly pingMs?: number | undefined;
}

/** Keys are topics and inboxes in one namespace. */
export const topicKey = (topic: string): string => `topic:${topic}`;
export const inboxKey = (instance: string): string => `inbox:${instance}`;
