import { tracingChannel } from 'node:diagnostics_channel';
import type { TxKind } from '../database/tx-kind.ts';

/** A transaction, from its request for a turn to its end. */
export interface TracedTransaction {
  /** `caller`: its rights are those of a sign-in. */
  readonly kind: TxKind['kind'] | 'caller';
  /** Whether it counts for the server itself and not for a caller. */
  readonly isServers: boolean;
  /** How long it waited for its turn, ms; 0 until then. */
  waitedMs: number;
  /** Set by the channel when it failed. */
  readonly error?: unknown;
}

/** One attempt of a job. */
export interface TracedJob {
  readonly queue: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Set by the channel when it failed. */
  readonly error?: unknown;
}

/** Transactions and jobs are published here, so that spans are created in one place. Without a subscriber nothing is measured. */
export const transactions = tracingChannel<unknown, TracedTransaction>('roomside:transaction');
export const jobAttempts = tracingChannel<unknown, TracedJob>('roomside:job');
