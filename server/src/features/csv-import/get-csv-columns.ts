import { getCsvColumns as call } from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { forStaffInSteps } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { describeColumns } from './columns.ts';
import { readHead } from './csv-file.ts';

/** The columns as another encoding or separator shows them. */
export const getCsvColumns = forStaffInSteps(call, async ({ context, params, query, now, commit }) => {
  const { fileId } = params;
  const file = await commit(async (tx, { companyId, timeZone }) => {
    const row = await tx
      .selectFrom('imports')
      .select(['file_uid', 'file_size', 'type'])
      .where('import_id', '=', fileId)
      .where('state', 'in', ['uploaded', 'checked'])
      .executeTakeFirst();
    if (!row) throw notFound();
    const { day: today } = instantToWall(now, timeZone);
    const type = row.type as ImportType;
    return { name: { companyId, uid: row.file_uid }, size: row.file_size, of: { today, timeZone, type } };
  });
  // Read after the transaction, and its audit row.
  const head = await readHead(context.blobs, file.name);
  return describeColumns({ fileId, head, isWhole: head.length === file.size, ...file.of }, query);
});
