import { getPromo as call } from '@roomside/contract/promos/calls.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { isOwn, promoCompany } from './promo-rows.ts';

export const getPromo = forUsers(call, async ({ caller, params, tx }) => {
  const row = await tx
    .selectFrom('promo_codes')
    .selectAll()
    .where('promo_id', '=', params.patientPromoId)
    .where(isOwn(promoCompany(caller)))
    .executeTakeFirst();
  if (!row) throw notFound();
  return {
    patientPromoId: row.promo_id,
    version: row.version,
    code: row.code,
    discountRate: row.discount_rate,
    expirationDate: row.expiration_date,
    maxUses: row.max_uses,
    disabled: row.disabled,
    uses: row.uses,
  };
});
