import { sql } from 'kysely';
import type { BlobName } from '../../platform/blob-files.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openTextOrSay } from '../../platform/sealed-text.ts';
import { sealedColumns } from '../upkeep/reseal.ts';
import { blobsOf, lockWithMerged, rowsOf } from './patient-rows.ts';
import { listedTables } from './record-tables.ts';

export interface PatientExport {
  /** Rows by table; sealed columns as plain texts. */
  readonly tables: Record<string, Record<string, unknown>[]>;
  /** What the rows refer to by uid. */
  readonly blobs: readonly BlobName[];
}

/**
 * Returns everything that is stored about a patient (45 CFR 164.524), as of one moment and as the list of tables says.
 * Includes the records of patients who were merged into them.
 *
 * @param tx a transaction of kind job
 * @throws Refusal `not-found`
 */
export async function exportPatient(
  tx: Tx,
  parts: Pick<Context, 'keys' | 'log'>,
  companyId: number,
  patientId: number,
): Promise<PatientExport> {
  const patientIds = await lockWithMerged(tx, companyId, patientId);
  const tables: PatientExport['tables'] = {};
  for (const [table, entry] of listedTables) {
    if (entry.withheld === 'all') continue;
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where ${rowsOf(entry, companyId, patientIds)} order by 1`.execute(tx);
    for (const row of rows) await openSealed(tx, parts, companyId, table, row);
    const withheld: readonly string[] = entry.withheld;
    tables[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !withheld.includes(column))),
    );
  }
  return { tables, blobs: await blobsOf(tx, companyId, patientIds) };
}

async function openSealed(
  tx: Tx,
  parts: Pick<Context, 'keys' | 'log'>,
  companyId: number,
  table: string,
  row: Record<string, unknown>,
): Promise<void> {
  for (const sealed of sealedColumns.filter((one) => one.table === table)) {
    const place = sealed.place(...sealed.names.map((name) => row[name] as string | number));
    row[sealed.column] = await openTextOrSay(tx, parts, companyId, row[sealed.column] as Buffer, place);
  }
}
