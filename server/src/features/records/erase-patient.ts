import { sql } from 'kysely';
import type { BlobName } from '../../platform/blob-files.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { keepsPatient, requireNoVisit } from './has-records.ts';
import { blobsOf, lockAppointmentsOf, lockWithMerged, rowsOf } from './patient-rows.ts';
import { type ErasedValue, listedTables } from './record-tables.ts';

/**
 * Erases a patient's name, contacts and texts, as the list of tables says, and archives the patient. Times and payments stay
 * under the number of the erased patient. Refused rows of imports, which may be the patient's, are deleted of all. Backups from before still have the data. Returns the blobs to delete after the
 * commit. The caller writes the audit row.
 *
 * @param tx a transaction of kind job
 * @param now ISO instant
 * @throws Refusal `not-found`; `patient-present` during a visit; `has-appointments` while appointments are upcoming
 */
export async function erasePatient(tx: Tx, companyId: number, patientId: number, now: string): Promise<BlobName[]> {
  const patientIds = await lockWithMerged(tx, companyId, patientId);
  // Before their messages, as those that deliver them do.
  await lockAppointmentsOf(tx, patientIds);
  if (await keepsPatient(tx, patientId, now)) throw new Refusal('has-appointments');
  await requireNoVisit(tx, patientIds, now);
  const blobs = [...(await blobsOf(tx, companyId, patientIds)), ...(await eraseRefusedRows(tx, companyId))];
  for (const [table, entry] of listedTables.toReversed()) {
    const rows = rowsOf(entry, companyId, patientIds);
    if (entry.erase === 'delete') await sql`delete from ${sql.table(table)} where ${rows}`.execute(tx);
    else if (entry.erase !== 'keep') {
      const values = Object.entries<ErasedValue>(entry.erase);
      const set = sql.join(values.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
      await sql`update ${sql.table(table)} set ${set} where ${rows}`.execute(tx);
    }
  }
  await tx
    .updateTable('patients')
    .set({ archived_at: sql`coalesce(archived_at, ${now})`, erased_at: now })
    .where('patient_id', 'in', patientIds)
    .execute();
  return blobs;
}

/**
 * Takes the refused rows from the ended imports of a company, since they belong to no patient and a name in them may be misspelled. The same file
 * gives them again. Returns their blobs. Files that were not imported are kept for a day only.
 */
async function eraseRefusedRows(tx: Tx, companyId: number): Promise<BlobName[]> {
  const ended = await tx
    .selectFrom('imports')
    .select(['import_id', 'wrong_uid'])
    .where('company_id', '=', companyId)
    .where('wrong_uid', 'is not', null)
    .where('state', 'in', ['done', 'cancelled', 'undone', 'failed'])
    .orderBy('import_id')
    .forUpdate()
    .execute();
  if (ended.length === 0) return [];
  await tx
    .updateTable('imports')
    .set({ wrong_uid: null, wrong_size: null, problems: Buffer.alloc(0) })
    .where(
      'import_id',
      'in',
      ended.map((row) => row.import_id),
    )
    .execute();
  return ended.flatMap(({ wrong_uid: uid }) => (uid === null ? [] : [{ companyId, uid }]));
}
