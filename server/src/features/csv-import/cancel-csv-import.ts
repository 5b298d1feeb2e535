import { cancelCsvImport as call } from '@roomside/contract/csv-import/calls.ts';
import { deleteBlobs } from '../../platform/delete-blobs.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { lockImport } from './claimed.ts';
import { discardDrafts } from './discard-drafts.ts';

/** The worker of an import sees the wish with its next rows. */
export const cancelCsvImport = forStaff(call, async ({ context, caller, params, body, tx, afterCommit }) => {
  const { companyId } = caller;
  const { fileId: importId } = params;
  await lockImport(tx, { companyId, importId });
  const row = await tx
    .selectFrom('imports')
    .select('state')
    .where('company_id', '=', companyId)
    .where('import_id', '=', importId)
    .forUpdate()
    .executeTakeFirst();
  switch (row?.state) {
    case 'uploaded':
    case 'checked': {
      const uids = await discardDrafts(tx, { companyId, importId });
      afterCommit(() => deleteBlobs(context, 'file', companyId, uids));
      return undefined;
    }
    case 'checking':
      await tx
        .updateTable('imports')
        .set({ state: 'uploaded', claim: null, lease_until: null })
        .where('import_id', '=', importId)
        .execute();
      return undefined;
    case 'importing':
      await tx
        .updateTable('imports')
        .set({ cancel: body.keep ? 'keep' : 'remove' })
        .where('import_id', '=', importId)
        .execute();
      return undefined;
    default:
      throw notFound();
  }
});
