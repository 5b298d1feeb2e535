import { sql } from 'kysely';
import type { AuditObjects } from './audit-objects.ts';
import { type AnyCaller, actorOf } from './caller.ts';
import { send, type Tx } from './database/database.ts';
import { prepared } from './database/prepared.ts';

export interface AuditEntry {
  caller: AnyCaller | null;
  /** The actor without a sign-in: the patient of a booking. Default: the system. */
  actor?: string;
  companyId?: number | null;
  at: string;
  /** The name of the call, or of the action of a job or the hub. */
  action: string;
  /** The path's template, never the path with its ids or query. */
  path: string;
  objects: AuditObjects;
  address: string;
  requestId: string;
}

/**
 * Writes the audit row of a request in its transaction, so that access and row are committed together. Nothing waits
 * for it before the commit.
 */
export const audit = (tx: Tx, entry: AuditEntry): void => send(tx, oneRow(valuesOf(entry)));

/** Adds rows in one statement. */
export const writeAudit = (tx: Tx, entries: readonly AuditEntry[]): void => send(tx, insertion(entries.map(valuesOf)));

interface Values {
  company: number | null;
  at: string;
  actor: string;
  action: string;
  path: string;
  /** JSON. */
  objects: string;
  address: string;
  requestId: string;
}

function valuesOf({ caller, actor, companyId, objects, ...entry }: AuditEntry): Values {
  return {
    company: companyId ?? (caller && 'companyId' in caller ? caller.companyId : null),
    actor: caller ? actorOf(caller) : (actor ?? 'system'),
    objects: JSON.stringify(objects),
    ...entry,
  };
}

const insertion = (rows: readonly Values[]) => sql`
  insert into audit_log (company_id, occurred_at, actor, action, path, objects, address, request_id) values ${sql.join(
    rows.map(
      ({ company, at, actor, action, path, objects, address, requestId }) => sql`(${company}::bigint,
        ${at}::timestamptz, ${actor}, ${action}, ${path}, ${objects}::jsonb, ${address}, ${requestId})`,
    ),
  )}`;

const oneRow = prepared((_tx, values: Values) => insertion([values]));
