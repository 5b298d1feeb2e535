import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';

export interface PromoValues {
  /** null: the installation's, for licenses. */
  companyId: number | null;
  code: string;
  discountRate?: number;
  expirationDate?: string | null;
  maxUses?: number | null;
  disabled?: boolean;
}

export async function buildPromo(context: Context, values: PromoValues): Promise<number> {
  const { companyId } = values;
  return context.db.open(companyId === null ? { kind: 'super' } : { kind: 'job', companyId }, async (tx) => {
    const row = await tx
      .insertInto('promo_codes')
      .values({
        company_id: companyId,
        code: values.code,
        discount_rate: values.discountRate ?? 10,
        expiration_date: values.expirationDate ?? null,
        max_uses: values.maxUses ?? null,
        disabled: values.disabled ?? false,
        created_at: isoNow(context.clock),
      })
      .returning('promo_id')
      .executeTakeFirstOrThrow();
    return row.promo_id;
  });
}
