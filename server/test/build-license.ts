import { lockCharge } from '../src/features/charges/charge-rows.ts';
import { extendLicense } from '../src/features/charges/extend-license.ts';
import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';

/** A license that was bought for 100 providers, with its invoice, a kept card and a notice of its renewal. */
export async function buildLicense(
  context: Context,
  companyId: number,
): Promise<{ cardId: number; invoiceNumber: number }> {
  const now = isoNow(context.clock);
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    const { card_id: cardId } = await tx
      .insertInto('payment_cards')
      .values({
        company_id: companyId,
        position: 'primary',
        processor: 'sandbox',
        account: '',
        reference: `kept_paid_visa_4242_122040_${newUid().slice(0, 16)}`,
        brand: 'visa',
        last4: '4242',
        exp_month: 12,
        exp_year: 2040,
        created_at: now,
      })
      .returning('card_id')
      .executeTakeFirstOrThrow();
    const { charge_id: chargeId } = await tx
      .insertInto('charges')
      .values({
        charge_key: newUid(),
        company_id: companyId,
        purpose: 'license',
        attempt: 1,
        processor: 'none',
        account: '',
        amount: '0',
        currency: 'USD',
        method: '',
        state: 'paid',
        created_at: now,
      })
      .returning('charge_id')
      .executeTakeFirstOrThrow();
    const purchase = { charge_id: chargeId, company_id: companyId, providers: 100, price: '0', automatic: false };
    await tx
      .insertInto('license_purchases')
      .values({ ...purchase, created_at: now })
      .execute();
    await tx
      .insertInto('license_renewals')
      .values({ company_id: companyId, expiration_date: '2020-01-01', noticed_on: '2020-01-01', noticed_total: '0' })
      .execute();
    const charge = await lockCharge(tx, chargeId);
    if (!charge) throw new Error('The charge was not stored.');
    await extendLicense(tx, charge, now);
    const { invoice_number } = await tx
      .selectFrom('license_purchases')
      .select('invoice_number')
      .where('charge_id', '=', chargeId)
      .executeTakeFirstOrThrow();
    return { cardId, invoiceNumber: invoice_number ?? 0 };
  });
}
