import { type CsvImport, shownProblems } from '@roomside/contract/csv-import/calls.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { openText, sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import type { ImportChanges, ImportRow, Parts } from './claimed.ts';
import type { PlannedRow } from './kind.ts';

type Shown = CsvImport['problems'][number];

/** What is shown of a value, characters. */
const maxShown = 80;

/** Writes why rows are refused. Returns the column with the first problems and their values, sealed. */
export async function writeProblems(
  tx: Tx,
  context: Pick<Parts, 'keys' | 'clock'>,
  row: ImportRow,
  planned: readonly PlannedRow[],
): Promise<Pick<ImportChanges, 'problems'>> {
  const found = planned.flatMap(({ row: { no, line, cells }, plan }) =>
    plan.kind === 'refuse'
      ? plan.problems.map((problem, index) => ({
          no,
          index,
          shown: { line, ...problem, value: valueOf(cells, problem.columnIdx) },
        }))
      : [],
  );
  if (found.length === 0) return {};
  const { company_id: companyId, import_id: importId } = row;
  const of = (key: 'line' | 'code' | 'detail' | 'columnIdx') => found.map(({ shown }) => shown[key]);
  await sql`insert into import_problems (company_id, import_id, record_no, problem_no, line, column_idx, code, detail)
    select ${companyId}, ${importId}, record_no, problem_no, line, column_idx, code, detail
    from unnest(${found.map(({ no }) => no)}::bigint[], ${found.map(({ index }) => index)}::int[], ${of('line')}::bigint[],
      ${of('columnIdx')}::int[], ${of('code')}::text[], ${of('detail')}::bigint[])
      as n(record_no, problem_no, line, column_idx, code, detail)`.execute(tx);
  const place = sealedPlaces.importProblems(row.file_uid);
  const stored = await openText(tx, context.keys, companyId, row.problems, place);
  const shown = stored === '' ? [] : (JSON.parse(stored) as Shown[]);
  if (shown.length >= shownProblems) return {};
  const text = JSON.stringify([...shown, ...found.map((one) => one.shown)].slice(0, shownProblems));
  return { problems: await sealText(tx, context.keys, { companyId, now: isoNow(context.clock) }, text, place) };
}

function valueOf(cells: readonly string[], columnIdx: number | null): string {
  const value = columnIdx === null ? '' : (cells[columnIdx] ?? '').trim();
  return value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
}
