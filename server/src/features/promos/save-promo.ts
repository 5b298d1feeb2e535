import { savePromo as call, type PromoBody } from '@roomside/contract/promos/calls.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { sqlStates } from '../../platform/database/sql-states.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { checkVersion, fieldRefusal } from '../../platform/refusal.ts';
import { lockPromo, promoCompany } from './promo-rows.ts';

/** PROMO-2, VALID-31. */
export const savePromo = forUsers(call, async ({ caller, body, tx, now }) => {
  refuseCardNumbers({ code: body.code });
  if (body.patientPromoId === 0) {
    const { promo_id } = await tx
      .insertInto('promo_codes')
      .values({ company_id: promoCompany(caller), created_at: now, ...columnsOf(body) })
      .returning('promo_id')
      .executeTakeFirstOrThrow()
      .catch(toRefusal);
    return { patientPromoId: promo_id, version: 0 };
  }
  const stored = await lockPromo(tx, caller, body.patientPromoId);
  checkVersion(stored, body.version);
  const version = stored.version + 1;
  await tx
    .updateTable('promo_codes')
    .set({ ...columnsOf(body), version })
    .where('promo_id', '=', body.patientPromoId)
    .execute()
    .catch(toRefusal);
  return { patientPromoId: body.patientPromoId, version };
});

const columnsOf = (body: PromoBody) => ({
  code: body.code.trim(),
  discount_rate: body.discountRate,
  expiration_date: body.expirationDate,
  max_uses: body.maxUses,
  disabled: body.disabled,
});

function toRefusal(error: { code?: string }): never {
  if (error.code !== sqlStates.uniqueViolation) throw error;
  throw fieldRefusal('promo-taken', 'code');
}
