import { startDataExport as call } from '@roomside/contract/data-export/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';

/** Adds an export, which a worker makes. A company has one at a time, an archive that waits included. */
export const startDataExport = forStaff(call, async ({ caller, tx, now, touched }) => {
  await requireConfirmed(tx, caller, now);
  const created = await tx
    .insertInto('data_exports')
    .values({ company_id: caller.companyId, by_user_id: caller.userId, requested_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('export_id')
    .executeTakeFirst();
  if (!created) throw new Refusal('stale');
  touched('exportId', created.export_id);
  return { exportId: created.export_id };
});
