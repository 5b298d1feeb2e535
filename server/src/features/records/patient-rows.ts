import { sql } from 'kysely';
import type { BlobName } from '../../platform/blob-files.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound } from '../../platform/refusal.ts';
import { listedTables } from './record-tables.ts';

/**
 * Locks a patient and those who were merged into them, and returns their ids.
 *
 * @throws Refusal `not-found` when the company has no such patient, or they were merged into another one
 */
export async function lockWithMerged(tx: Tx, companyId: number, patientId: number): Promise<number[]> {
  const lock = (ids: readonly number[]) =>
    sql`select from patients where company_id = ${companyId} and patient_id = any(${ids}::bigint[])
      order by patient_id for no key update`.execute(tx);
  // First and alone: a merge of the patient is complete behind this lock, and none begins. A statement that waits does not see what it waited for.
  await lock([patientId]);
  const { rows } = await sql<{ id: number }>`
    with recursive person as (
      select patient_id from patients where company_id = ${companyId} and patient_id = ${patientId} and merged_into is null
      union
      select p.patient_id from patients p join person on p.company_id = ${companyId} and p.merged_into = person.patient_id)
    select patient_id as id from person order by patient_id`.execute(tx);
  if (rows.length === 0) throw notFound();
  const ids = rows.map(({ id }) => id);
  await lock(ids);
  return ids;
}

/**
 * Locks the appointments of these patients, whose rows are locked: nothing about them changes, no one enters their visits, and no record of
 * them is stored until the transaction ends. What one of these transactions has done before is seen by statements after this one.
 */
export async function lockAppointmentsOf(tx: Tx, patientIds: readonly number[]): Promise<void> {
  await tx
    .selectFrom('appointments')
    .select('appointment_id')
    .where('patient_id', 'in', patientIds)
    .orderBy('appointment_id')
    .forUpdate()
    .execute();
}

/** Whether the first patient was merged into the second one. */
export async function wasMerged(tx: Tx, patientId: number, intoId: number): Promise<boolean> {
  const merged = await tx
    .selectFrom('patients')
    .select('patient_id')
    .where('patient_id', '=', patientId)
    .where('merged_into', '=', intoId)
    .executeTakeFirst();
  return merged !== undefined;
}

/** The condition of a table's rows `r` that belong to these patients. */
export function rowsOf(
  { by }: Pick<(typeof listedTables)[number][1], 'by'>,
  companyId: number,
  patientIds: readonly number[],
) {
  const ofPatient = sql<boolean>`company_id = ${companyId} and patient_id = any(${patientIds}::bigint[])`;
  return by === 'patient_id'
    ? ofPatient
    : sql<boolean>`company_id = ${companyId} and appointment_id in (select appointment_id from appointments where ${ofPatient})`;
}

/** The blobs of these patients. */
export async function blobsOf(tx: Tx, companyId: number, patientIds: readonly number[]): Promise<BlobName[]> {
  const found: BlobName[] = [];
  for (const [table, entry] of listedTables) {
    if (!entry.blob) continue;
    const { rows } = await sql<{ uid: string }>`
      select ${sql.ref(entry.blob)} as uid from ${sql.table(table)} where ${rowsOf(entry, companyId, patientIds)}`.execute(
      tx,
    );
    found.push(...rows.map(({ uid }) => ({ companyId, uid })));
  }
  return found;
}
