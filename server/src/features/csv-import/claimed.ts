import type { CsvDefinition } from '@roomside/contract/csv-import/calls.ts';
import { type Selectable, sql, type Updateable } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import type { DB } from '../../platform/database/schema.ts';

/** What the work on an import needs: undoing appointments takes the way of every change of one. */
export type Parts = Context;
export type ImportRow = Selectable<DB['imports']>;
export type ImportChanges = Updateable<DB['imports']>;

/** An import that a worker has. */
export interface Claimed {
  readonly companyId: number;
  readonly importId: number;
  /** A uuid. Without it, nothing of the import is written any more: it was stopped, or another worker has it. */
  readonly claim: string;
}

/** The worker does not have the import any more. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/** A worker that has not renewed its claim for this long has vanished, and another one goes on, ms. */
const leaseMs = 30_000;

export const leaseUntil = ({ clock }: Pick<Parts, 'clock'>): string => new Date(clock.now() + leaseMs).toISOString();

/** Gives the worker the next import. `attempts` counts how often one was given away without progress. */
export async function claimNext(context: Parts, claim: string): Promise<(Claimed & { attempts: number }) | undefined> {
  const { rows } = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number; import_id: number; attempts: number }>`
      select * from claim_import(${isoNow(context.clock)}, ${leaseUntil(context)}, ${claim})`.execute(tx),
  );
  const [row] = rows;
  return row && { companyId: row.company_id, importId: row.import_id, claim, attempts: row.attempts };
}

/**
 * Locks an import until the transaction ends; those who wait get it in their order. A row's lock has no order: the next step of a worker would
 * get it again and again before a user who wishes to stop the import.
 */
export const lockImport = (tx: Tx, { companyId, importId }: Omit<Claimed, 'claim'>) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`import ${companyId} ${importId}`}, 0))`.execute(tx);

/**
 * Runs a step of an import in one transaction: what it does and how far the import is are written together. The import is locked meanwhile.
 *
 * @throws ClaimLost
 */
export async function inStep<T>(
  context: Parts,
  { companyId, importId, claim }: Claimed,
  work: (
    tx: Tx,
    row: ImportRow,
    afterCommit: AfterCommit,
  ) => Promise<{ readonly changes: ImportChanges; readonly result: T }>,
): Promise<T> {
  return context.db.open({ kind: 'job', companyId }, async (tx, afterCommit) => {
    await lockImport(tx, { companyId, importId });
    const row = await tx
      .selectFrom('imports')
      .selectAll()
      .where('import_id', '=', importId)
      .where('claim', '=', claim)
      .forUpdate()
      .executeTakeFirst();
    if (!row) throw new ClaimLost();
    const { changes, result } = await work(tx, row, afterCommit);
    await tx
      .updateTable('imports')
      .set({ lease_until: leaseUntil(context), ...changes })
      .where('import_id', '=', importId)
      .execute();
    return result;
  });
}

/** Changes the row of an import. @throws ClaimLost */
export const change = (context: Parts, claimed: Claimed, changes: ImportChanges): Promise<ImportRow> =>
  inStep(context, claimed, async (_tx, row) => ({ changes, result: row }));

/** Renews the claim while a step takes long. Returns whether the worker still has it. */
export async function renew(context: Parts, { companyId, importId, claim }: Claimed): Promise<boolean> {
  const { numUpdatedRows } = await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .updateTable('imports')
      .set({ lease_until: leaseUntil(context) })
      .where('import_id', '=', importId)
      .where('claim', '=', claim)
      .executeTakeFirst(),
  );
  return Number(numUpdatedRows) === 1;
}

/** The work of an import is over, or another one begins: the claim ends. */
export const released = { claim: null, lease_until: null } as const;

export const definitionOfRow = (row: ImportRow): CsvDefinition => row.definition as unknown as CsvDefinition;
