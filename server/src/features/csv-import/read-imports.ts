import {
  type CsvDefinition,
  type CsvImport,
  type CsvProgress,
  type CsvSummary,
  getCsvImport as getCall,
  listCsvImports as listCall,
  getCsvProgress as progressCall,
  runningStates,
} from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import type { Selectable } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { DB } from '../../platform/database/schema.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { openText, openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';

type Row = Selectable<DB['imports']>;

const maxListed = 50;

/** No patient's data: no row in the audit log. */
export const getCsvProgress = forStaff(progressCall, async ({ query, tx }) => {
  const rows = tx.selectFrom('imports').selectAll().where('state', '<>', 'discarded');
  const row = await (query.fileId === undefined
    ? rows.where('state', 'in', [...runningStates])
    : rows.where('import_id', '=', query.fileId)
  ).executeTakeFirst();
  return { import: row ? progressOf(row) : null };
});

export const listCsvImports = forStaff(listCall, async ({ context, caller, tx, now, touched }) => {
  const rows = await summaries(tx)
    .where('i.state', 'not in', ['discarded', 'uploaded', 'checked', 'checking'])
    .orderBy('i.import_id', 'desc')
    .limit(maxListed)
    .execute();
  if (rows.length > 0)
    touched(
      'imports',
      rows.map((row) => row.import_id),
    );
  const data: CsvSummary[] = [];
  for (const row of rows) data.push(await summaryOf({ tx, context, companyId: caller.companyId, now }, row));
  return { data };
});

export const getCsvImport = forStaff(getCall, async ({ context, caller, params, tx, now }) => {
  const { companyId } = caller;
  const row = await summaries(tx)
    .where('i.import_id', '=', params.fileId)
    .where('i.state', '<>', 'discarded')
    .executeTakeFirst();
  if (!row) throw notFound();
  const problems = await openText(tx, context.keys, companyId, row.problems, sealedPlaces.importProblems(row.file_uid));
  return {
    ...(await summaryOf({ tx, context, companyId, now }, row)),
    definition: row.definition as unknown as CsvDefinition,
    isCutOff: !row.has_end,
    problems: problems === '' ? [] : (JSON.parse(problems) as CsvImport['problems']),
  };
});

const summaries = (tx: Tx) =>
  tx
    .selectFrom('imports as i')
    .innerJoin('users as u', 'u.user_id', 'i.by_user_id')
    .selectAll('i')
    .select(['u.first_name', 'u.last_name']);

function progressOf(row: Row): CsvProgress {
  const { amount_done: done, amount_total: total } = row;
  return {
    fileId: row.import_id,
    type: row.type as ImportType,
    state: row.state as CsvProgress['state'],
    percent: total === 0 ? 0 : Math.min(100, Math.floor((done / total) * 100)),
    rows: row.rows,
    created: row.created,
    updated: row.updated,
    unchanged: row.unchanged,
    wrong: row.wrong,
    doubled: row.doubled,
    kept: row.kept,
  };
}

interface Reading {
  readonly tx: Tx;
  readonly context: Context;
  readonly companyId: number;
  readonly now: string;
}

async function summaryOf(
  { tx, context, companyId, now }: Reading,
  row: Row & { first_name: string; last_name: string },
): Promise<CsvSummary> {
  const isOver = ['done', 'cancelled', 'failed'].includes(row.state) || (row.state === 'undone' && row.kept > 0);
  const canUndo = row.undo_until !== null && row.undo_until > now && isOver;
  return {
    ...progressOf(row),
    fileName: await openTextOrSay(tx, context, companyId, row.file_name, sealedPlaces.importFileName(row.file_uid)),
    by: { firstName: row.first_name, lastName: row.last_name },
    uploadedAt: row.uploaded_at,
    finishedAt: row.finished_at,
    undoUntil: canUndo && row.created + row.updated > 0 ? row.undo_until : null,
    hasWrongRows: row.wrong_size !== null,
  };
}
