import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import { forAll } from '../../platform/repeat.ts';
import { deleteRows } from './check-file.ts';
import type { Parts } from './claimed.ts';

/** A file that was not imported is kept for a day, ms. */
const draftMs = 24 * 3_600_000;

/** Deletes what is kept of imports no longer: files that were not imported, and after a week wrong rows and earlier values. */
export async function endImports(context: Pick<Parts, 'db' | 'blobs' | 'clock'>): Promise<void> {
  const before = new Date(context.clock.now() - draftMs).toISOString();
  const { rows } = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
    sql<{ company_id: number; import_id: number }>`
      select * from ended_imports(${isoNow(context.clock)}, ${before})`.execute(tx),
  );
  await forAll(rows, ({ company_id: companyId, import_id: importId }) => endImport(context, { companyId, importId }));
}

async function endImport(
  context: Pick<Parts, 'db' | 'blobs' | 'clock'>,
  of: { readonly companyId: number; readonly importId: number },
): Promise<void> {
  const { companyId, importId } = of;
  const { db, blobs } = context;
  // A caller who opens it afterwards finds nothing to import or to undo.
  const row = await db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .updateTable('imports')
      .set((eb) => ({
        wrong_size: null,
        problems: Buffer.alloc(0),
        state: eb.case().when('state', 'in', ['uploaded', 'checked']).then('discarded').else(eb.ref('state')).end(),
      }))
      .where('import_id', '=', importId)
      .where('state', 'not in', ['checking', 'importing', 'undoing'])
      .returning(['state', 'file_uid', 'wrong_uid'])
      .executeTakeFirst(),
  );
  if (!row) return;
  for (const table of ['import_keys', 'import_spans', 'import_problems', 'import_changes'] as const)
    await deleteRows(context, of, table);
  for (const uid of [row.file_uid, row.wrong_uid]) if (uid !== null) await blobs.delete({ companyId, uid });
  await db.open({ kind: 'job', companyId }, async (tx) => {
    if (row.state === 'discarded') await tx.deleteFrom('imports').where('import_id', '=', importId).execute();
    else
      await tx
        .updateTable('imports')
        .set({ undo_until: null, wrong_uid: null })
        .where('import_id', '=', importId)
        .execute();
  });
}
