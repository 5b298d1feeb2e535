import { cancelDataExport as call, liveExportStates } from '@roomside/contract/data-export/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { deleteParts } from './archive-parts.ts';

/** Ends an export. A worker that makes it notices within seconds, and deletes what it has. */
export const cancelDataExport = forStaff(call, async ({ context, caller, params, tx, afterCommit }) => {
  const { exportId } = params;
  const ended = await tx
    .updateTable('data_exports')
    .set({ state: 'cancelled', claim: null, lease_until: null })
    .where('export_id', '=', exportId)
    .where('state', 'in', [...liveExportStates])
    .returning('export_id')
    .executeTakeFirst();
  if (!ended) throw notFound();
  afterCommit(() => {
    deleteParts(context, { companyId: caller.companyId, exportId }).catch((error: Error) => {
      // The next search for ended exports deletes them.
      context.log.error({ error: error.message, exportId }, 'parts of a cancelled export are still stored');
    });
  });
  return undefined;
});
