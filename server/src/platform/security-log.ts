import type { RefusalCode } from '@roomside/contract/refusals.ts';
import type { FastifyBaseLogger } from 'fastify';
import { type AuditEntry, writeAudit } from './audit.ts';
import type { AuditObjects } from './audit-objects.ts';
import { type AnyCaller, actorOf } from './caller.ts';
import { type Clock, isoNow } from './clock.ts';
import type { Database } from './database/database.ts';
import { onBehalfOf } from './database/scope.ts';
import { serverShare } from './database/turns.ts';

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

/** Refusals of a signed-in person that are recorded: of requests that are forbidden or too frequent, and of secrets that are wrong. */
const recorded: ReadonlySet<RefusalCode> = new Set([
  'not-allowed',
  'not-found',
  'too-many',
  'wrong-password',
  'wrong-authenticator-code',
  'wrong-passkey',
]);

/** Whether a refusal of a signed-in person may be part of an attack, and is recorded. */
export const isRecorded = (code: string): boolean => recorded.has(code as RefusalCode);

/** Different events between two writes. Further ones are counted in one row. */
const maxPending = 300;

/** Raises an alarm at `limit` events within `windowMs` in one process. */
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
 * Writes failed sign-ins, refusals and alarms to the audit log and the server's log. Equal events of a second become one
 * row with a count, so that an attack cannot load the database through the audit log. The rows are written up to a second
 * later, in a separate transaction, since a refused request has changed nothing.
 */
export class SecurityLog {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: FastifyBaseLogger;
  #pending = new Map<string, Pending>();
  readonly #windows = new Map<string, { readonly start: number; count: number }>();
  /** Events beyond `maxPending` since the last write. */
  #overflow = 0;

  constructor(db: Database, clock: Clock, log: FastifyBaseLogger) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  record(event: SecurityEvent): void {
    const { action, reason, address, objects = {} } = event;
    const actor = actorNameOf(event);
    const key = JSON.stringify([action, reason, actor, address, objects]);
    const known = this.#pending.get(key);
    if (known) {
      known.count += 1;
      return;
    }
    if (this.#pending.size >= maxPending) {
      this.#overflow += 1;
      return;
    }
    this.#pending.set(key, { event, at: isoNow(this.#clock), count: 1 });
    const line = { action, reason, who: actor, address };
    if (event.isAlarm) this.#log.error(line, 'security alarm');
    else this.#log.warn(line, 'refused');
  }

  /** Counts an event towards an alarm, which is raised once per window when the limit is reached. */
  countTowards({ name, limit, windowMs }: AlarmRule, event: SecurityEvent): void {
    const now = this.#clock.now();
    const known = this.#windows.get(name);
    const window = known && now - known.start <= windowMs ? known : { start: now, count: 0 };
    this.#windows.set(name, window);
    window.count += 1;
    if (window.count === limit) this.record({ ...event, action: name, path: '', reason: 'alarm', isAlarm: true });
  }

  /** Writes the pending events. They stay pending after an error. */
  async flush(): Promise<void> {
    const [pending, overflow] = [this.#pending, this.#overflow];
    if (pending.size === 0) return;
    this.#pending = new Map();
    this.#overflow = 0;
    const entries = [...pending.values()].map(toEntry);
    const last = entries.at(-1);
    if (overflow > 0 && last) {
      const objects = { refused: 'various', count: overflow };
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
      this.#overflow += overflow;
      throw error;
    }
  }
}

const actorNameOf = ({ caller, actor }: SecurityEvent): string => (caller ? actorOf(caller) : (actor ?? 'unknown'));

function toEntry({ event, at, count }: Pending): AuditEntry {
  const { caller = null, companyId = null, action, path, reason, objects, address, requestId } = event;
  const counted = { ...objects, refused: reason, ...(count > 1 && { count }) };
  return { caller, actor: actorNameOf(event), companyId, at, action, path, objects: counted, address, requestId };
}
