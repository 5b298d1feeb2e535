import { auditActionsOf } from '@roomside/contract/audit/actions.ts';
import type { listAuditLog } from '@roomside/contract/audit/calls.ts';
import type { QueryOf } from '@roomside/contract/call.ts';
import { dayBounds } from '@roomside/contract/time.ts';
import { type RawBuilder, sql } from 'kysely';
import type { AuditObjects } from '../../platform/audit-objects.ts';
import type { StaffCaller, SuperCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';

export type AuditReader = StaffCaller | SuperCaller;
export type AuditFilter = Pick<QueryOf<typeof listAuditLog>, 'personId' | 'patientId' | 'from' | 'to' | 'kind'>;

export interface FoundRow {
  audit_id: number;
  occurred_at: string;
  actor: string;
  action: string;
  objects: AuditObjects;
  address: string;
}

/** A page beyond a row, newest first; `backwards` are the rows before it, oldest first. */
export interface AuditPage {
  readonly key?: { readonly at: string; readonly id: number };
  readonly backwards?: boolean;
  readonly skip?: number;
  readonly top: number;
}

/** The zone of the filter's days and of a download. */
export const zoneOf = (caller: AuditReader): string => (caller.kind === 'staff' ? caller.timeZone : 'UTC');

/** The filter as parameters of the SQL functions (migrations/functions/audit.sql), which test the company themselves. */
export interface Condition {
  readonly parameters: RawBuilder<unknown>;
  /** The patient of the filter and their appointments. */
  readonly ids: readonly number[];
}

export async function conditionOf(tx: Tx, caller: AuditReader, filter: AuditFilter): Promise<Condition> {
  const { personId = null, patientId, from, to, kind } = filter;
  const zone = zoneOf(caller);
  const fromAt = from === undefined ? null : dayBounds(from, zone).from;
  const toAt = to === undefined ? null : dayBounds(to, zone).to;
  const ids = patientId === undefined ? null : await idsOfPatient(tx, patientId);
  const actions = kind === undefined ? null : auditActionsOf(kind);
  const parameters = sql`${fromAt}::timestamptz, ${toAt}::timestamptz, ${personId}::bigint, ${ids}::bigint[],
    ${kind ?? null}::text, ${actions}::text[]`;
  return { parameters, ids: ids ?? [] };
}

/** The patient, those who were merged into them, and all their appointments: an audit row may name only one of these. */
async function idsOfPatient(tx: Tx, patientId: number): Promise<number[]> {
  const merged = await tx.selectFrom('patients').select('patient_id').where('merged_into', '=', patientId).execute();
  const patients = [patientId, ...merged.map((row) => row.patient_id)];
  const visits = await tx
    .selectFrom('appointments')
    .select('appointment_id')
    .where('patient_id', 'in', patients)
    .execute();
  return [...patients, ...visits.map((row) => row.appointment_id)];
}

export async function findAuditRows(
  tx: Tx,
  { parameters }: Condition,
  { key, backwards = false, skip = 0, top }: AuditPage,
): Promise<FoundRow[]> {
  const { rows } = await sql<FoundRow>`select * from list_audit(${parameters}, ${key?.at ?? null}::timestamptz,
    ${key?.id ?? null}::bigint, ${backwards}::boolean, ${skip}::int, ${top}::int)`.execute(tx);
  return rows;
}

/** The number of rows; null when there are more than `upTo`. */
export async function countAuditRows(tx: Tx, { parameters }: Condition, upTo: number): Promise<number | null> {
  const { rows } = await sql<{ n: number }>`select count_audit(${parameters}, ${upTo + 1}::int) as n`.execute(tx);
  const n = rows[0]?.n ?? 0;
  return n > upTo ? null : n;
}
