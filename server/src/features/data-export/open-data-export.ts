import { openDataExport as call, downloadDataExport } from '@roomside/contract/data-export/calls.ts';
import { requireConfirmed } from '../../platform/confirmed.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { addressLifetimeMs, signAddress } from '../../platform/http/signed-address.ts';
import { notFound } from '../../platform/refusal.ts';

/** Permits the download on this sign-in while the address is valid. */
export const openDataExport = forStaff(call, async ({ context, caller, params, tx, now }) => {
  await requireConfirmed(tx, caller, now);
  const until = new Date(Date.parse(now) + addressLifetimeMs).toISOString();
  const opened = await tx
    .updateTable('data_exports')
    .set({ download_sign_in: caller.signInId, download_until: until })
    .where('export_id', '=', params.exportId)
    .where('state', '=', 'ready')
    .where('expires_at', '>', now)
    .returning('export_id')
    .executeTakeFirst();
  if (!opened) throw notFound();
  return { address: signAddress(context, downloadDataExport, params, caller) };
});
