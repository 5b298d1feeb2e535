import { undoCsvImport as call } from '@roomside/contract/csv-import/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { onlyOne } from './start-csv-work.ts';

/** Hands the import to a worker, which undoes it. */
export const undoCsvImport = forStaff(call, async ({ caller, params, tx, now }) => {
  const { numUpdatedRows } = await onlyOne(
    tx
      .updateTable('imports')
      .set({ state: 'undoing', claim: null, lease_until: null, attempts: 0, position: 0, amount_done: 0, kept: 0 })
      .set((eb) => ({ amount_total: eb('created', '+', eb.ref('updated')) }))
      .where('company_id', '=', caller.companyId)
      .where('import_id', '=', params.fileId)
      .where((eb) =>
        eb.or([
          eb('state', 'in', ['done', 'cancelled', 'failed']),
          // What stayed: it may be free now.
          eb.and([eb('state', '=', 'undone'), eb('kept', '>', 0)]),
        ]),
      )
      .where('undo_until', '>', now)
      .executeTakeFirst(),
  );
  if (Number(numUpdatedRows) === 0) throw notFound();
  return undefined;
});
