import type { Tx } from '../../platform/database/database.ts';

/**
 * Gives up files that were not imported: of a user, or one. Their rows are deleted by `endImports`. Returns the uids of their blobs, to be
 * deleted after the commit.
 */
export async function discardDrafts(
  tx: Tx,
  { companyId, byUserId, importId }: { companyId: number; byUserId?: number; importId?: number },
): Promise<string[]> {
  const rows = await tx
    .updateTable('imports')
    .set({ state: 'discarded' })
    .where('company_id', '=', companyId)
    .$if(byUserId !== undefined, (query) => query.where('by_user_id', '=', byUserId ?? 0))
    .$if(importId !== undefined, (query) => query.where('import_id', '=', importId ?? 0))
    .where('state', 'in', ['uploaded', 'checked'])
    .returning(['file_uid', 'wrong_uid'])
    .execute();
  return rows.flatMap((row) => [row.file_uid, ...(row.wrong_uid === null ? [] : [row.wrong_uid])]);
}
