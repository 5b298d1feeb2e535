import type { FastifyBaseLogger } from 'fastify';
import { type AuditEntry, writeAudit } from './audit.ts';
import type { AuditObjects } from './audit-objects.ts';
import { type AnyCaller, actorOf } from './caller.ts';
import { type Clock, isoNow } from './clock.ts';
import type { Database } from './database/database.ts';
import { onBehalfOf } from './database/scope.ts';
import { serverShare } from './database/turns.ts';

/** Something that was refused, or that an administrator should look at. */
export interface SecurityEvent {
  /** The call or hub method, or the alarm's name. */
  readonly action: string;
  /** The call's path template; '' for alarms. */
  readonly path: string;
  /** Why: a refusal's code, or the alarm's. */
  readonly reason: string;
  /** Who: the signed-in person, or the user whose password was tried. */
  readonly caller?: AnyCaller | undefined;
  readonly actor?: string;
  readonly companyId?: number | null;
  readonly address: string;
  readonly requestId: string;
  /** Ids that were named in the request; never what somebody typed. */
  readonly objects?: AuditObjects;
  /** An alarm is logged as an error. */
  readonly isAlarm?: boolean;
}

/** Different events between two writes; beyond this they are counted in one row. */
const maxPending = 300;

/** So many events within the time, ms, in one process are more than mistakes. */
export interface AlarmRule {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

interface Pending {
  event: SecurityEvent;
  at: string;
  count: number;
}

/**
 * Failed sign-ins, refusals and alarms, for the audit log and the server's log. Equal events of a second become one row
 * with a count, so that an attack cannot use the audit log to keep the database busy. What is refused shows and changes
 * nothing, so these rows may come a second later, in a transaction of their own.
 */
export class SecurityLog {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: FastifyBaseLogger;
  #pending = new Map<string, Pending>();
  readonly #windows = new Map<string, { readonly start: number; count: number }>();
  /** Events beyond the limit since the last write. */
  #uncounted = 0;

  constructor(db: Database, clock: Clock, log: FastifyBaseLogger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  record(event: SecurityEvent): void {
    const { action, reason, address, objects = {} } = event;
    const who = whoOf(event);
    const key = JSON.stringify([action, reason, who, address, objects]);
    const known = this.#pending.get(key);
    if (known) {
      known.count += 1;
      return;
    }
    if (this.#pending.size >= maxPending) {
      this.#uncounted += 1;
      return;
    }
    this.#pending.set(key, { event, at: isoNow(this.#clock), count: 1 });
    const line = { action, reason, who, address };
    if (event.isAlarm) this.#log.error(line, 'security alarm');
    else this.#log.warn(line, 'refused');
  }

  /** Counts an event towards an alarm, which is raised once in a window when the limit is reached. */
  countTowards({ name, limit, windowMs }: AlarmRule, event: SecurityEvent): void {
    const now = this.#clock.now();
    const known = this.#windows.get(name);
    const window = known && now - known.start <= windowMs ? known : { start: now, count: 0 };
    this.#windows.set(name, window);
    window.count += 1;
    if (window.count === limit) this.record({ ...event, action: name, path: '', reason: 'alarm', isAlarm: true });
  }

  /** Writes what has come since the last time. What cannot be written stays for the next time. */
  async flush(): Promise<void> {
    const [pending, uncounted] = [this.#pending, this.#uncounted];
    if (pending.size === 0) return;
    this.#pending = new Map();
    this.#uncounted = 0;
    const entries = [...pending.values()].map(toEntry);
    const last = entries.at(-1);
    if (uncounted > 0 && last) {
      const objects = { refused: 'various', count: uncounted };
      entries.push({
        ...last,
        caller: null,
        actor: 'unknown',
        companyId: null,
        action: 'manyRefusals',
        path: '',
        objects,
        address: '',
      });
    }
    try {
      await onBehalfOf(serverShare, () =>
        this.#db.open({ kind: 'unauthenticated' }, async (tx) => writeAudit(tx, entries)),
      );
    } catch (error) {
      for (const [key, entry] of pending) if (!this.#pending.has(key)) this.#pending.set(key, entry);
      this.#uncounted += uncounted;
      throw error;
    }
  }
}

const whoOf = ({ caller, actor }: SecurityEvent): string => (caller ? actorOf(caller) : (actor ?? 'unknown'));

function toEntry({ event, at, count }: Pending): AuditEntry {
  const { caller = null, companyId = null, action, path, reason, objects, address, requestId } = event;
  const counted = { ...objects, refused: reason, ...(count > 1 && { count }) };
  return { caller, actor: whoOf(event), companyId, at, action, path, objects: counted, address, requestId };
}
