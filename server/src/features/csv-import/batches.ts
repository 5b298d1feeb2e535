import { mappingOf } from '@roomside/contract/csv-import/fields.ts';
import type { RowRules } from '@roomside/contract/csv-import/read-row.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import type { BlobStore } from '../../platform/blobs.ts';
import { isoNow } from '../../platform/clock.ts';
import { definitionOfRow, type ImportRow, type Parts } from './claimed.ts';
import { type NumberedRecord, readRecords } from './csv-file.ts';
import type { FileRow, ImportKind } from './kind.ts';
import { kindOf } from './kinds.ts';

/** Rows that are worked on in one transaction. */
export interface Batch {
  readonly rows: readonly FileRow[];
  /** The record after the last one. */
  readonly next: number;
  /** Bytes of the file that were read. */
  readonly bytes: number;
}

/** Rows of one transaction: short locks, and few rows in memory. */
const batchRows = 500;

/** How the rows of an import are read. */
async function rulesOf(context: Parts, row: ImportRow): Promise<Omit<RowRules, 'columns'>> {
  const { fields, dateOrder, shortYears, nameCase } = definitionOfRow(row);
  const zone = await context.db.open({ kind: 'job', companyId: row.company_id }, (tx) =>
    tx.selectFrom('companies').select('time_zone').where('company_id', '=', row.company_id).executeTakeFirstOrThrow(),
  );
  // The day of the upload: every run of an import reads the same.
  const { day: today } = instantToWall(row.uploaded_at ?? isoNow(context.clock), zone.time_zone);
  return { mapping: mappingOf(fields), dateOrder, shortYears, nameCase, today, timeZone: zone.time_zone };
}

/** Yields the records of a file with its header. Rows without any value are left out. */
export async function* dataRecords(
  blobs: BlobStore,
  row: ImportRow,
): AsyncGenerator<{
  readonly records: readonly NumberedRecord[];
  readonly header: readonly string[];
  readonly bytes: number;
}> {
  const { hasHeader, ...rules } = definitionOfRow(row);
  let header: readonly string[] | undefined;
  for await (const { records, bytes } of readRecords(blobs, { companyId: row.company_id, uid: row.file_uid }, rules)) {
    header ??= records[0]?.cells;
    const data = records.filter(({ no, cells, fault }) => {
      if (no === 0 && hasHeader) return false;
      return fault !== null || cells.some((cell) => cell.trim() !== '');
    });
    yield { records: data, header: header ?? [], bytes };
  }
}

/** Yields the rows of an import's file from a record on, in batches; the last one may be empty. */
export async function* readBatches(context: Parts, row: ImportRow): AsyncGenerator<Batch> {
  const rules = await rulesOf(context, row);
  const kind = kindOf(row);
  let rows: FileRow[] = [];
  let next = row.position;
  let read = 0;
  for await (const { records, header, bytes } of dataRecords(context.blobs, row)) {
    read = bytes;
    for (const record of records) {
      if (record.no < row.position) continue;
      rows.push(readRow(kind, record, { ...rules, columns: header.length }));
      next = record.no + 1;
      if (rows.length < batchRows) continue;
      yield { rows, next, bytes };
      rows = [];
    }
  }
  yield { rows, next, bytes: read };
}

function readRow(kind: ImportKind, { no, line, cells, fault, faultCell }: NumberedRecord, rules: RowRules): FileRow {
  const at = { no, line, cells };
  if (fault !== null) return { ...at, value: null, problems: [{ code: fault, columnIdx: faultCell, detail: 0 }] };
  const { values, problems } = kind.readRow(cells, rules);
  return { ...at, value: problems.length === 0 ? values : null, problems };
}
