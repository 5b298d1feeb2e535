import { refusals } from '@roomside/contract/refusals.ts';
import type { FastifyBaseLogger } from 'fastify';
import { type AuditEntry, writeAudit } from './audit.ts';
import type { AuditObjects } from './audit-objects.ts';
import { type AnyCaller, actorOf } from './caller.ts';
import { type Clock, isoNow } from './clock.ts';
import type { Database } from './database/database.ts';
import { onBehalfOf } from './database/scope.ts';
import { serverShare } from './database/turns.ts';
import { networksOf } from './http/networks.ts';

/** A refusal or an alarm. */
export interface SecurityEvent {
  /** The call or hub method, or the alarm's name. */
  readonly action: string;
  /** The call's path template; '' for alarms. */
  readonly path: string;
  /** The refusal's code, or `alarm`. */
  readonly reason: string;
  /** The signed-in person. */
  readonly caller?: AnyCaller | undefined;
  /** Without a caller: for example the user whose password was tried. */
  readonly actor?: string;
  readonly companyId?: number | null;
  readonly address: string;
  readonly requestId: string;
  /** Ids from the request, never typed text. */
  readonly objects?: AuditObjects;
  /** An alarm is logged as an error. */
  readonly isAlarm?: boolean;
}

/** Statuses of refusals that may be part of an attack: of failed sign-ins, and of requests that are forbidden or too frequent. */
const recordedStatuses: readonly number[] = [401, 403, 404, 429];
/** Refusals of a wrong secret with another status. */
const wrongSecrets: ReadonlySet<string> = new Set(['wrong-password', 'wrong-authenticator-code', 'wrong-confirmation']);
/** What strangers find out in any case: the addresses of clinics are public. */
const publicAnswers: ReadonlySet<string> = new Set(['not-found', 'clinic-closed']);

/** Whether a refusal of a signed-in person or of a stranger may be part of an attack, and is recorded. */
export function isRecorded(code: string, from: 'signed-in' | 'stranger'): boolean {
  if (from === 'stranger' && publicAnswers.has(code)) return false;
  const { status = 0 } = (refusals as Partial<Record<string, { status: number }>>)[code] ?? {};
  return recordedStatuses.includes(status) || wrongSecrets.has(code);
}

/** Raises an alarm at `limit` events within `windowMs` in one process. */
export interface AlarmRule {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** Wrong passwords of all accounts, above the number of typing errors in many companies. */
const wrongPasswords: AlarmRule = { name: 'manyWrongPasswords', limit: 300, windowMs: 15 * 60_000 };
/** Wrong passwords of one account, above what one network may try. */
const wrongPasswordsOfAccount: AlarmRule = { ...wrongPasswords, name: 'manyWrongPasswordsOfAccount', limit: 100 };
const passwordReasons: ReadonlySet<string> = new Set(['wrong-credentials', 'wrong-password']);

/** The accounts that are counted at the same time for one rule. */
const maxWindows = 1000;

interface Window {
  /** Epoch ms. */
  readonly start: number;
  count: number;
}

/**
 * Limits between two writes, for each kind of events. A source is a signed-in person, or the network of a stranger. Each source has a row for its first
 * event, so that no other source can hide it, and further rows while there are few of them. What is beyond is counted in one row of the
 * source, and beyond the number of sources in one row.
 */
const limits = { sources: 300, rows: 300, rowsOfSource: 20 } as const;

/** A row to write. */
interface Row {
  readonly event: SecurityEvent;
  readonly at: string;
  count: number;
}

/** The rows of one kind of events until they are written. */
class Rows {
  readonly #rows = new Map<string, Row>();
  /** The number of rows of each source. */
  readonly #sources = new Map<string, number>();

  /** Adds a row, or adds its count to another one. Returns the event of a new row, otherwise null. */
  add(row: Row): SecurityEvent | null {
    if (this.#count(row)) return null;
    const event = this.#withinLimits(row.event);
    if (event !== row.event && this.#count({ ...row, event })) return null;
    this.#rows.set(keyOf(event), { ...row, event });
    return event;
  }

  all(): Row[] {
    return [...this.#rows.values()];
  }

  /** Counts a row in an equal one. Returns whether there is one. */
  #count({ event, count }: Row): boolean {
    const known = this.#rows.get(keyOf(event));
    if (known) known.count += count;
    return known !== undefined;
  }

  /** Returns the event itself, or what stands for it beyond a limit. */
  #withinLimits(event: SecurityEvent): SecurityEvent {
    const source = sourceOf(event);
    const rows = this.#sources.get(source);
    if (rows === undefined && this.#sources.size >= limits.sources) {
      return { ...summaryOf(event), caller: undefined, actor: unknownActor, companyId: null, address: '' };
    }
    if (rows !== undefined && (rows >= limits.rowsOfSource || this.#rows.size >= limits.rows)) return summaryOf(event);
    this.#sources.set(source, (rows ?? 0) + 1);
    return event;
  }
}

/** Alarms, signed-in people and strangers have separate limits, so that none of them can hide the others. */
const noRows = () => ({ alarms: new Rows(), people: new Rows(), strangers: new Rows() });
type Kind = keyof ReturnType<typeof noRows>;

/**
 * Writes failed sign-ins, refusals and alarms to the audit log and the server's log. Equal events of a second become one
 * row with a count, so that an attack cannot load the database through the audit log. The rows are written up to a second
 * later, in a separate transaction, since a refused request has changed nothing.
 */
export class SecurityLog {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: FastifyBaseLogger;
  #pending = noRows();
  #flushing: Promise<void> = Promise.resolve();
  /** By the alarm's name and what it counts, oldest first. */
  readonly #windows = new Map<string, Map<string, Window>>();

  constructor(db: Database, clock: Clock, log: FastifyBaseLogger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  record(event: SecurityEvent): void {
    const added = this.#pending[kindOf(event)].add({ event, at: isoNow(this.#clock), count: 1 });
    if (added) {
      const { action, reason, address } = added;
      const line = { action, reason, who: actorNameOf(added), address };
      if (event.isAlarm) this.#log.error(line, 'security alarm');
      else this.#log.warn(line, 'refused');
    }
    if (passwordReasons.has(event.reason)) this.#countWrongPassword(event);
  }

  /**
   * Counts an event towards an alarm, which is raised once per window when the limit is reached. `subject` is what the limit is
   * for, the installation by default.
   */
  countTowards({ name, limit, windowMs }: AlarmRule, event: SecurityEvent, subject = ''): void {
    const now = this.#clock.now();
    const windows = this.#windows.get(name) ?? new Map<string, Window>();
    this.#windows.set(name, windows);
    const known = windows.get(subject);
    const window = known && now - known.start <= windowMs ? known : { start: now, count: 0 };
    if (window !== known) {
      windows.delete(subject);
      windows.set(subject, window);
      const [oldest = subject] = windows.keys();
      if (windows.size > maxWindows) windows.delete(oldest);
    }
    window.count += 1;
    if (window.count === limit) this.record({ ...event, action: name, path: '', reason: 'alarm', isAlarm: true });
  }

  #countWrongPassword(event: SecurityEvent): void {
    const { address, requestId } = event;
    const wrong = { action: '', path: '', reason: event.reason, address, requestId };
    this.countTowards(wrongPasswords, wrong);
    const actor = actorNameOf(event);
    if (actor === unknownActor) return;
    this.countTowards(wrongPasswordsOfAccount, { ...wrong, actor, companyId: event.companyId ?? null }, actor);
  }

  /** Writes what was recorded until now, what an earlier call is writing included. It stays pending after an error. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.catch(() => undefined).then(() => this.#writePending());
    return this.#flushing;
  }

  async #writePending(): Promise<void> {
    const written = this.#pending;
    const entries = Object.values(written).flatMap((rows) => rows.all().map(toEntry));
    if (entries.length === 0) return;
    this.#pending = noRows();
    try {
      await onBehalfOf(serverShare, () =>
        this.#db.open({ kind: 'unauthenticated' }, async (tx) => writeAudit(tx, entries)),
      );
    } catch (error) {
      const added = this.#pending;
      this.#pending = written;
      for (const kind of Object.keys(added) as Kind[]) for (const row of added[kind].all()) written[kind].add(row);
      throw error;
    }
  }
}

const unknownActor = 'unknown';
const actorNameOf = ({ caller, actor }: SecurityEvent): string => (caller ? actorOf(caller) : (actor ?? unknownActor));

/** Whether the actor is signed in. `user_7` is an account that a stranger has named. */
const isSignedIn = (event: SecurityEvent): boolean => !/^(?:unknown$|user_)/.test(actorNameOf(event));

function kindOf(event: SecurityEvent): Kind {
  if (event.isAlarm) return 'alarms';
  return isSignedIn(event) ? 'people' : 'strangers';
}

/** The signed-in person, or the network of a stranger, who could name any account. Alarms with different names do not share their rows. */
function sourceOf(event: SecurityEvent): string {
  const from = isSignedIn(event) ? actorNameOf(event) : networksOf(event.address).customer;
  return event.isAlarm ? `${event.action} ${from}` : from;
}

const summary = 'manyRefusals';

/** What stands for the events of a source beyond its limit. A stranger's may be about several companies. */
function summaryOf(event: SecurityEvent): SecurityEvent {
  const stranger = isSignedIn(event) ? {} : { actor: unknownActor, companyId: null };
  return { ...event, action: summary, path: '', reason: 'various', objects: {}, ...stranger };
}

/** Equal events have equal keys. A source has one summary, from all of its addresses. */
function keyOf(event: SecurityEvent): string {
  const { action, reason, address, objects = {} } = event;
  if (action === summary) return `${summary} ${address === '' ? '' : sourceOf(event)}`;
  return JSON.stringify([action, reason, actorNameOf(event), address, objects]);
}

function toEntry({ event, at, count }: Row): AuditEntry {
  const { caller = null, companyId = null, action, path, reason, objects, address, requestId } = event;
  const counted = { ...objects, refused: reason, ...(count > 1 && { count }) };
  return { caller, actor: actorNameOf(event), companyId, at, action, path, objects: counted, address, requestId };
}
