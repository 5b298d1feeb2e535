import type { RefusalCode } from '@roomside/contract/refusals.ts';
import type { PushedMessage, Sender } from '@roomside/contract/room/messages.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditObjects } from './audit-objects.ts';
import type { BlobStore } from './blobs.ts';
import type { Clock } from './clock.ts';
import type { Database, Tx } from './database/database.ts';
import type { Keys } from './keys.ts';
import type { Passwords } from './passwords.ts';
import type { SecurityLog } from './security-log.ts';
import type { Settings } from './settings.ts';

/** Work that runs after the commit or later, durably: ids only, never a patient's data. */
export interface Jobs {
  /** Adds a job in the given transaction; it runs after the commit. */
  send(tx: Tx, queue: string, data: object): Promise<void>;
  /** Which of these ids some job of the queue, waiting or running, has under `key` in its data. */
  pending(tx: Tx, queue: string, key: string, ids: readonly number[]): Promise<ReadonlySet<number>>;
}

/** What the hub does for the rest of the server: says that something changed, and cuts people off. */
export interface Push {
  /** To the staff of a company who hear of this doctor's patients (STATE-6); after the commit only. */
  staffOf(companyId: number, doctorId: number, message: PushedMessage, sender: Sender): void;
  /** To all staff of a company who are connected: calendars and lists ask again. */
  schedule(companyId: number): void;
  /** To everybody in a room, or its patients only. */
  room(uid: string, message: PushedMessage, sender: Sender): void;
}

/** Looks up what a refusal shows beside its text: `current` of the problem, and the ids that its audit row names. */
export type RefusalReader = (tx: Tx, about: object) => Promise<{ current: unknown; objects: AuditObjects }>;
export type RefusalReaders = Readonly<Partial<Record<RefusalCode, RefusalReader>>>;

/** Everything a handler may need from outside; built in app.ts, overridden by tests. */
export interface Context {
  readonly settings: Settings;
  /** Where people reach the application, without a trailing slash. */
  readonly publicUrl: string;
  readonly demo: boolean;
  readonly clock: Clock;
  readonly db: Database;
  readonly keys: Keys;
  readonly passwords: Passwords;
  readonly blobs: BlobStore;
  readonly jobs: Jobs;
  readonly push: Push;
  readonly log: FastifyBaseLogger;
  /** Failed sign-ins, refusals, alarms. */
  readonly security: SecurityLog;
  readonly refusalReaders: RefusalReaders;
  /** Tests only: role and object checks off, to prove that row-level security alone holds between companies. */
  readonly skipChecks: boolean;
}
