import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Batch } from './batches.ts';
import { readBatches } from './batches.ts';
import { type Claimed, change, type ImportRow, inStep, type Parts, released } from './claimed.ts';
import { refuseDoubles } from './doubles.ts';
import type { PlannedRow } from './kind.ts';
import { kindOf } from './kinds.ts';
import { writeProblems } from './write-problems.ts';
import { writeWrongRows } from './write-wrong-rows.ts';

/** Rows that are deleted in one transaction. */
const deletedRows = 10_000;

/** Says what an import of a file would do. Writes no patient. @throws ClaimLost */
export async function checkFile(context: Parts, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const row = await change(context, claimed, {});
  if (row.position === 0) await deleteNotes(context, claimed);
  for await (const batch of readBatches(context, row)) {
    signal.throwIfAborted();
    await checkBatch(context, claimed, batch);
  }
  const wrong = await writeWrongRows(context, claimed, signal);
  await deleteKeys(context, claimed);
  await change(context, claimed, { state: 'checked', finished_at: isoNow(context.clock), ...wrong, ...released });
}

async function checkBatch(context: Parts, claimed: Claimed, batch: Batch): Promise<void> {
  await inStep(context, claimed, async (tx, row) => {
    const kind = kindOf(row);
    const planning = { isImport: false, claimed, row };
    const plans = await kind.planRows(tx, context, batch.rows, planning);
    const single = await refuseDoubles(tx, context.keys, claimed, kind, plans);
    const planned = (await kind.refuseTaken?.(tx, single, planning)) ?? single;
    const problems = await writeProblems(tx, context, row, planned);
    return { changes: { ...countsOf(row, batch, planned), ...problems }, result: undefined };
  });
}

/** The row of an import with the counts of a batch. */
export function countsOf(row: ImportRow, batch: Batch, planned: readonly PlannedRow[]) {
  const count = (test: (one: PlannedRow) => boolean) => planned.filter(test).length;
  const { double } = kindOf(row);
  const doubled = count(({ plan }) => plan.kind === 'refuse' && plan.problems[0]?.code === double);
  return {
    attempts: 0,
    position: batch.next,
    amount_done: batch.bytes,
    rows: row.rows + planned.length,
    created: row.created + count(({ plan }) => plan.kind === 'create'),
    updated: row.updated + count(({ plan }) => plan.kind === 'update'),
    unchanged: row.unchanged + count(({ plan }) => plan.kind === 'keep'),
    doubled: row.doubled + doubled,
    wrong: row.wrong + count(({ plan }) => plan.kind === 'refuse') - doubled,
  };
}

/** Deletes what an earlier check of the file has written. */
async function deleteNotes(context: Parts, claimed: Claimed): Promise<void> {
  await deleteKeys(context, claimed);
  await deleteRows(context, claimed, 'import_problems');
}

async function deleteKeys(context: Parts, claimed: Claimed): Promise<void> {
  for (const table of ['import_keys', 'import_spans'] as const) await deleteRows(context, claimed, table);
}

/** The tables about an import, with the column by which their rows are divided. */
const orders = {
  import_keys: 'key',
  import_spans: 'line',
  import_problems: 'record_no',
  import_changes: 'patient_id',
} as const;

/** Deletes the rows of a table about an import, or those from a value of its column on, in short transactions, each with a range of the index. */
export async function deleteRows(
  { db }: Pick<Parts, 'db'>,
  { companyId, importId }: Pick<Claimed, 'companyId' | 'importId'>,
  table: keyof typeof orders,
  first: number | string = '-9223372036854775808',
): Promise<void> {
  const [name, column] = [sql.table(table), sql.ref(orders[table])];
  // As texts: keys are larger than the numbers of JavaScript.
  for (let after: string | undefined = String(first); after !== undefined; ) {
    const from: string = after;
    after = await db.open({ kind: 'job', companyId }, async (tx) => {
      const of = sql`company_id = ${companyId} and import_id = ${importId} and ${column} >= ${from}::bigint`;
      const { rows } = await sql<{ value: string }>`select ${column}::text as value from ${name}
        where ${of} order by ${column} offset ${deletedRows} limit 1`.execute(tx);
      const next = rows[0]?.value;
      await sql`delete from ${name} where ${of} ${next === undefined ? sql`` : sql`and ${column} < ${next}::bigint`}`.execute(
        tx,
      );
      return next;
    });
  }
}
