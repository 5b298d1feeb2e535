import { type ProblemCode, problemText } from '@roomside/contract/csv-import/problems.ts';
import { withoutGuard } from '@roomside/contract/csv-import/read-values.ts';
import { newUid } from '../../platform/access-code.ts';
import { exactCsvLine } from '../../platform/csv.ts';
import { dataRecords } from './batches.ts';
import { type Claimed, change, definitionOfRow, type ImportChanges, type ImportRow, type Parts } from './claimed.ts';

/** Problems that are read in one statement. */
const pageSize = 1000;

interface Problem {
  readonly record_no: number;
  readonly line: number;
  readonly column_idx: number | null;
  readonly code: string;
  readonly detail: number;
}

/**
 * Writes the rows that are refused as CSV, with the texts of the file, line and reason behind them. Its uid is in the row before the
 * content is stored. Returns the columns of the file; without wrong rows they are null. @throws ClaimLost
 */
export async function writeWrongRows(
  context: Parts,
  claimed: Claimed,
  signal: AbortSignal,
): Promise<Pick<ImportChanges, 'wrong_uid' | 'wrong_size'>> {
  const { companyId } = claimed;
  const before = await change(context, claimed, {});
  const uid = before.wrong + before.doubled > 0 ? newUid() : null;
  await change(context, claimed, { wrong_uid: uid, wrong_size: null });
  if (before.wrong_uid !== null) await context.blobs.delete({ companyId, uid: before.wrong_uid });
  if (uid === null) return { wrong_uid: null, wrong_size: null };
  const content = linesOf(context, before, signal);
  const { size } = await context.blobs.put({ companyId, uid }, content, { maxBytes: Number.MAX_SAFE_INTEGER });
  return { wrong_uid: uid, wrong_size: size };
}

/** By the mark at its beginning spreadsheets know that the file is UTF-8. */
const mark = '\ufeff';

async function* linesOf(context: Parts, row: ImportRow, signal: AbortSignal): AsyncGenerator<Buffer> {
  const problems = readProblems(context, row);
  let next = await problems.next();
  const { hasHeader } = definitionOfRow(row);
  let isFirst = true;
  for await (const { records, header } of dataRecords(context.blobs, row)) {
    signal.throwIfAborted();
    // The file has guards already: each round would add another one.
    const names = hasHeader ? header.map(withoutGuard) : header.map((_, index) => `Column ${index + 1}`);
    const lines: string[] = isFirst ? [mark + exactCsvLine([...names, 'Line', 'Problem'])] : [];
    if (header.length > 0) isFirst = false;
    for (const { no, line, cells } of records) {
      const own: Problem[] = [];
      for (; !next.done && next.value.record_no === no; next = await problems.next()) own.push(next.value);
      if (own.length === 0) continue;
      const reasons = own.map((problem) => reasonOf(problem, names)).join(' ');
      // As many cells as the header has, so that line and reason stand in their columns. Further ones behind them are of no column: until
      // someone corrects the row, it is refused for them again.
      const padded = names.map((_, index) => withoutGuard(cells[index] ?? ''));
      const further = cells.slice(names.length).map(withoutGuard);
      lines.push(exactCsvLine([...padded, line, reasons, ...further]));
    }
    if (lines.length > 0 && !isFirst) yield Buffer.from(lines.join(''));
  }
}

function reasonOf({ column_idx: column, code, detail }: Problem, names: readonly string[]): string {
  const text = problemText({ code: code as ProblemCode, detail });
  const end = /[.!?]$/.test(text) ? '' : '.';
  return column === null ? `${text}${end}` : `${names[column] ?? `Column ${column + 1}`}: ${text}${end}`;
}

/** Yields the problems in the order of the file. */
async function* readProblems(
  context: Parts,
  { company_id: companyId, import_id: importId }: ImportRow,
): AsyncGenerator<Problem> {
  let [record, problem] = [-1, 0];
  for (;;) {
    const rows = await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx
        .selectFrom('import_problems')
        .select(['record_no', 'problem_no', 'line', 'column_idx', 'code', 'detail'])
        .where('company_id', '=', companyId)
        .where('import_id', '=', importId)
        .where((eb) => eb(eb.refTuple('record_no', 'problem_no'), '>', eb.tuple(record, problem)))
        .orderBy('record_no')
        .orderBy('problem_no')
        .limit(pageSize)
        .execute(),
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    [record, problem] = [last.record_no, last.problem_no];
  }
}
