import type { Logger } from '../types.ts';
import type { Subscriber } from './subscriptions.ts';

/** One connection to a message broker. It does not reconnect. Keys: see {@link topicKey}. */
export interface Broker extends Subscriber {
  /** Returns without waiting. Never throws. */
  publish(key: string, data: Uint8Array): void;
  request(key: string, data: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** Resolves when the broker has read everything sent before. */
  ping(): Promise<unknown>;
  /** Closes the connection immediately. Pending requests reject. */
  destroy(): void;
}

/** What a broker connection calls. `receive` and `lost` do not throw; `answer` rejects when the node is not attached or fails. */
export interface BrokerEvents {
  receive(key: string, data: Uint8Array): void;
  answer(key: string, data: Uint8Array): Promise<Uint8Array>;
  lost(cause: unknown): void;
}

export interface BrokerOptions {
  readonly logger?: Logger | undefined;
  /** The heartbeat interval; a connection without a response for three intervals is closed. Default 3,000. */
  readonly pingMs?: number | undefined;
}

/** Keys of topics and of inboxes (where a node receives requests) share one namespace. */
export const topicKey = (topic: string): string => `topic:${topic}`;
export const inboxKey = (instance: string): string => `inbox:${instance}`;
