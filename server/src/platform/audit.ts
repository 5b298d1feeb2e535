import { sql } from 'kysely';
import { type AnyCaller, actorOf } from './caller.ts';
import { sendWithCommit, type Tx } from './database/database.ts';

export type AuditObjects = Record<string, number | string | readonly (number | string)[]>;

export interface AuditEntry {
  caller: AnyCaller | null;
  /** Who, where nobody was signed in: the patient that a booking made. Left out: the system. */
  actor?: string;
  companyId?: number | null;
  at: string;
  /** The call's name, or what a job or the hub did. */
  action: string;
  /** The path's template, never the path with its ids or query. */
  path: string;
  /** Which ids were read or changed, by kind. */
  objects: AuditObjects;
  address: string;
  requestId: string;
}

/**
 * One row per request, in the request's transaction: no access without its row, no row without the access. It is sent
 * with the commit.
 */
export const audit = (tx: Tx, entry: AuditEntry): void => writeAudit(tx, [entry]);

/** Adds rows in one statement, sent with the commit. */
export function writeAudit(tx: Tx, entries: readonly AuditEntry[]): void {
  const rows = entries.map((entry) => {
    const company = entry.companyId ?? (entry.caller && 'companyId' in entry.caller ? entry.caller.companyId : null);
    const actor = entry.caller ? actorOf(entry.caller) : (entry.actor ?? 'system');
    return sql`(${company}::bigint, ${entry.at}::timestamptz, ${actor}, ${entry.action}, ${entry.path},
      ${JSON.stringify(entry.objects)}::jsonb, ${entry.address}, ${entry.requestId})`;
  });
  const insert = sql`insert into audit_log (company_id, at, actor, action, path, objects, address, request_id)
    values ${sql.join(rows)}`;
  sendWithCommit(tx, insert);
}
