import { deletePromo as call } from '@roomside/contract/promos/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { lockPromo } from './promo-rows.ts';

/** Archives a promo code: payments that it has discounted keep it. */
export const deletePromo = forUsers(call, async ({ caller, params, tx, now }) => {
  await lockPromo(tx, caller, params.patientPromoId);
  await tx.updateTable('promo_codes').set({ archived_at: now }).where('promo_id', '=', params.patientPromoId).execute();
  return undefined;
});
