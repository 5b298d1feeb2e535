import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import { exactCsvLine } from '../../platform/csv.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openTextOrSay } from '../../platform/sealed-text.ts';
import { sealedColumns } from '../upkeep/reseal.ts';
import { type BlobRow, pathOf } from './entry-names.ts';
import { auditColumns, type listedExports } from './export-tables.ts';

type Parts = Pick<Context, 'keys' | 'log'>;
type Listed = (typeof listedExports)[number];

/** Rows that are read in one step: as many texts are in memory at a time. */
const batchSize = 500;

/** The column that leads from a row to its content in the archive. */
export const pathColumn = 'archive_path';

interface Reader {
  readonly tx: Tx;
  readonly companyId: number;
  readonly parts: Parts;
  /** Called with each batch. */
  onRows(rows: readonly BlobRow[]): void;
}

/** Yields the CSV file of a table: a header, then the rows of the company, with sealed columns as plain texts. */
export async function* tableCsv(reader: Reader, [table, entry]: Listed): AsyncGenerator<Buffer> {
  const columns = Object.keys(entry.columns);
  const { blob } = entry;
  const head = blob ? [...columns, pathColumn] : columns;
  yield Buffer.from(exactCsvLine(head));
  for await (const rows of readTable(reader, table, columns)) {
    const lines = rows.map((row) =>
      exactCsvLine([...columns.map((column) => row[column]), ...(blob ? [pathOf(blob.folder, row)] : [])]),
    );
    yield Buffer.from(lines.join(''));
    reader.onRows(rows);
  }
}

/** Yields the rows of a table by a cursor, in the order of the first column. */
async function* readTable(
  { tx, companyId, parts }: Reader,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Record<string, unknown>[]> {
  const sealed = sealedColumns.filter((one) => one.table === table && columns.includes(one.column));
  const needed = new Set([...columns, ...sealed.flatMap(({ names }) => names)]);
  const listed = sql.join([...needed].map((column) => sql.ref(column)));
  // A cursor takes no parameters.
  await sql`declare export_rows no scroll cursor for
    select ${listed} from ${sql.table(table)} where company_id = ${sql.lit(companyId)} order by 1`.execute(tx);
  try {
    for (;;) {
      const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(batchSize)} from export_rows`.execute(tx);
      if (rows.length === 0) return;
      for (const row of rows) await openSealed(tx, parts, { companyId, row, sealed });
      yield rows;
    }
  } finally {
    // After an error the transaction is over, and its cursor with it.
    await sql`close export_rows`.execute(tx).catch(() => {});
  }
}

/** Opens the sealed columns of a row that was read, in place. */
export async function openSealed(
  tx: Tx,
  parts: Parts,
  of: { companyId: number; row: Record<string, unknown>; sealed: readonly (typeof sealedColumns)[number][] },
): Promise<void> {
  for (const { column, names, place } of of.sealed) {
    const at = place(...names.map((name) => of.row[name] as string | number));
    of.row[column] = await openTextOrSay(tx, parts, of.companyId, of.row[column] as Buffer, at);
  }
}

interface AuditRow {
  readonly audit_id: number;
  readonly occurred_at: string;
}

/** Yields the CSV file of the company's audit log, oldest first. */
export async function* auditCsv({ tx, onRows }: Pick<Reader, 'tx' | 'onRows'>): AsyncGenerator<Buffer> {
  const columns = Object.keys(auditColumns);
  yield Buffer.from(exactCsvLine(columns));
  let last: AuditRow | undefined;
  for (;;) {
    const { rows } = await sql<AuditRow & Record<string, unknown>>`
      select * from list_audit(null, null, null, null, null, null,
        ${last?.occurred_at ?? '-infinity'}::timestamptz, ${last?.audit_id ?? 0}::bigint, true, 0, ${batchSize}::int)`.execute(
      tx,
    );
    if (rows.length === 0) return;
    yield Buffer.from(rows.map((row) => exactCsvLine(columns.map((column) => row[column]))).join(''));
    onRows(rows);
    last = rows.at(-1);
  }
}
