import type { RefusalCode } from '@roomside/contract/refusals.ts';
import type { PushedMessage, Sender } from '@roomside/contract/room/messages.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditObjects } from './audit-objects.ts';
import type { BlobStore } from './blobs.ts';
import type { Clock } from './clock.ts';
import type { Database, Tx } from './database/database.ts';
import type { Keys } from './keys.ts';
import type { Passwords } from './passwords.ts';
import type { RateLimit } from './rate-limit.ts';
import type { SecurityLog } from './security-log.ts';
import type { Settings } from './settings.ts';

/** Durable background jobs. Their data are ids only, never a patient's data. */
export interface Jobs {
  /** Adds a job in the given transaction; it runs after the commit. */
  send(tx: Tx, queue: string, data: object): Promise<void>;
  /** Returns those of the ids that a waiting or running job of the queue has as `key` in its data. */
  pending(tx: Tx, queue: string, key: string, ids: readonly number[]): Promise<ReadonlySet<number>>;
}

/** Sign-ins that may have ended: one, those of a person, or those of a company. */
export type SignInsOf =
  | { readonly signInId: number }
  | { readonly userId: number }
  | { readonly patientId: number }
  | { readonly guestId: number }
  | { readonly companyId: number };

/** Sends messages by the hub. */
export interface Push {
  /** To the staff who are notified about this provider's patients (STATE-6). Call after the commit. */
  staffOf(companyId: number, doctorId: number, message: PushedMessage, sender: Sender): void;
  /** To all connected staff of a company: calendars and lists reload. */
  schedule(companyId: number): void;
  /** To all connected staff of a company: pages read its settings and providers again, and calendars and lists with them. */
  company(companyId: number): void;
  /** To all processes: close the connections of those sign-ins that have ended. Call through end-sign-ins.ts. */
  signIns(of: SignInsOf): void;
  /** To all peers in a room. */
  room(uid: string, message: PushedMessage, sender: Sender): void;
  /** To the peers in a room except guests: about the patient's pictures and files. */
  roomWithoutGuests(uid: string, message: PushedMessage, sender: Sender): void;
}

/** Looks up what a refusal shows beside its text: `current` of the problem, and the ids that its audit row names. */
export type RefusalReader = (tx: Tx, about: object) => Promise<{ current: unknown; objects: AuditObjects }>;
export type RefusalReaders = Readonly<Partial<Record<RefusalCode, RefusalReader>>>;

/** The dependencies of handlers. Built in app.ts, partly replaced by tests. */
export interface Context {
  readonly settings: Settings;
  /** The application's address for users, without a trailing slash. */
  readonly publicUrl: string;
  readonly demo: boolean;
  readonly clock: Clock;
  readonly db: Database;
  readonly keys: Keys;
  readonly passwords: Passwords;
  /** Sign-ups of all networks together. */
  readonly signUpLimit: RateLimit;
  readonly blobs: BlobStore;
  readonly jobs: Jobs;
  readonly push: Push;
  readonly log: FastifyBaseLogger;
  /** Failed sign-ins, refusals, alarms. */
  readonly security: SecurityLog;
  readonly refusalReaders: RefusalReaders;
  /** Tests only: switches role and object checks off, to prove that row-level security alone separates companies. */
  readonly skipChecks: boolean;
}
