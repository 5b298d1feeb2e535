import { undoDays } from '@roomside/contract/csv-import/calls.ts';
import type { ProblemCode } from '@roomside/contract/csv-import/problems.ts';
import { audit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type Batch, readBatches } from './batches.ts';
import { countsOf, deleteRows } from './check-file.ts';
import { type Claimed, change, type ImportRow, inStep, type Parts, released } from './claimed.ts';
import { type ImportKind, type PlannedRow, refuse } from './kind.ts';
import { kindOf } from './kinds.ts';
import { writeProblems } from './write-problems.ts';
import { writeWrongRows } from './write-wrong-rows.ts';

type Wish = 'keep' | 'remove' | null;

/** Imports the rows of a file that were not imported yet. @throws ClaimLost */
export async function importFile(context: Parts, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const row = await change(context, claimed, {});
  let wish = row.cancel as Wish;
  if (wish === null) {
    for await (const batch of readBatches(context, row)) {
      signal.throwIfAborted();
      wish = await importBatch(context, claimed, batch);
      if (wish !== null) break;
    }
  }
  // What the check has noted of rows that the import has not come to is not its result.
  if (wish === 'keep') {
    const { position } = await change(context, claimed, {});
    await deleteRows(context, claimed, 'import_problems', position);
  }
  const wrong = wish === 'remove' ? {} : await writeWrongRows(context, claimed, signal);
  await finishImport(context, claimed, { state: 'done', ...wrong });
}

/** Returns whether the user wishes to stop. */
async function importBatch(context: Parts, claimed: Claimed, batch: Batch): Promise<Wish> {
  return inStep(context, claimed, async (tx, row) => {
    if (row.cancel !== null) return { changes: {}, result: row.cancel as Wish };
    const kind = kindOf(row);
    const plans = await kind.planRows(tx, context, batch.rows, { isImport: true, claimed, row });
    const noted = await withNoted(tx, claimed, batch, kind, plans);
    const planned = (await kind.refuseTaken?.(tx, noted, { isImport: true, claimed, row })) ?? noted;
    const written = await kind.write(tx, context, row, planned);
    const problems = await writeProblems(tx, context, row, planned);
    if (written.created.length + written.updated.length > 0)
      note(tx, context, row, kind.audited.write, kind.audited.written(written));
    return { changes: { ...countsOf(row, batch, planned), ...problems }, result: null };
  });
}

/** The check has found the rows that collide with an earlier row. What it has noted of these rows is replaced. */
async function withNoted(
  tx: Tx,
  { companyId, importId }: Claimed,
  batch: Batch,
  kind: ImportKind,
  planned: readonly PlannedRow[],
): Promise<PlannedRow[]> {
  const [first, last] = [batch.rows[0]?.no ?? batch.next, batch.next];
  const noted = await tx
    .deleteFrom('import_problems')
    .where('company_id', '=', companyId)
    .where('import_id', '=', importId)
    .where('record_no', '>=', first)
    .where('record_no', '<', last)
    .returning(['record_no', 'code', 'detail'])
    .execute();
  const collisions = new Map(
    noted
      .filter(({ code }) => code === kind.double || code === 'overlap-row')
      .map(({ record_no, code, detail }) => [record_no, refuse(code as ProblemCode, detail)]),
  );
  const taken = new Map<number, number>();
  return planned.map((one): PlannedRow => {
    const { row, plan } = one;
    const collision = collisions.get(row.no);
    if (collision) return { row, plan: collision };
    if (plan.kind === 'refuse') return one;
    const found = kind.foundId(plan);
    // Since the check two patients may have become one.
    const line = found === undefined ? undefined : taken.get(found);
    if (line !== undefined) return { row, plan: refuse(kind.double, line) };
    if (found !== undefined) taken.set(found, row.line);
    return one;
  });
}

/** Writes an audit row of the user who has started the import. */
export function note(
  tx: Tx,
  context: Pick<Parts, 'clock'>,
  { company_id: companyId, import_id: importId, by_user_id: userId }: ImportRow,
  action: ImportKind['audited']['write' | 'undo'] | 'finishImport',
  objects: Readonly<Record<string, string | readonly number[]>>,
): void {
  audit(tx, {
    caller: null,
    actor: `A_${userId}`,
    companyId,
    at: isoNow(context.clock),
    action,
    path: '',
    objects: { importId, ...objects },
    address: '',
    requestId: action,
  });
}

interface Ending extends Partial<Awaited<ReturnType<typeof writeWrongRows>>> {
  readonly state: 'done' | 'failed';
}

/**
 * Ends an import: with its summary in the audit log, and without the file, of which the wrong rows are kept. A wish to stop counts until then: the
 * import is over as cancelled, or is undone.
 */
export async function finishImport(context: Parts, claimed: Claimed, ending: Ending): Promise<void> {
  const { companyId } = claimed;
  const now = isoNow(context.clock);
  await inStep(context, claimed, async (tx, row, afterCommit) => {
    const wish = row.cancel as Wish;
    if (wish === 'remove') return { changes: { ...ending, ...undoing(row) }, result: undefined };
    const state = wish === 'keep' && ending.state === 'done' ? 'cancelled' : ending.state;
    const undoUntil = new Date(Date.parse(now) + undoDays * 86_400_000).toISOString();
    // Counts are texts: a number would be taken for an id.
    const { rows, created, updated, unchanged, wrong, doubled } = row;
    const counts = Object.entries({ rows, created, updated, unchanged, wrong, doubled }).map(([name, count]) => [
      name,
      String(count),
    ]);
    note(tx, context, row, 'finishImport', { ...Object.fromEntries(counts), end: state });
    afterCommit(() => {
      context.push.schedule(companyId);
      context.blobs.delete({ companyId, uid: row.file_uid }).catch((error: Error) => {
        // endImports deletes it later.
        context.log.error({ error: error.message, importId: row.import_id }, 'an imported file is still stored');
      });
    });
    const over = { ...released, cancel: null, finished_at: now, undo_until: undoUntil };
    return { changes: { ...ending, state, ...over }, result: undefined };
  });
}

/** A worker takes the import back. */
const undoing = (row: ImportRow) => ({
  state: 'undoing',
  cancel: null,
  attempts: 0,
  position: 0,
  amount_done: 0,
  amount_total: row.created + row.updated,
  kept: 0,
  ...released,
});
