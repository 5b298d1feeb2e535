import { getInvoice as getCall, listInvoices as listCall } from '@roomside/contract/licenses/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forUsers } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { resolveCompanyId } from '../companies/get-company.ts';
import { readLicense } from './license-rows.ts';
import { priceOf } from './price.ts';

const listed = 100;

const paidPurchases = (tx: Tx) =>
  tx
    .selectFrom('license_purchases as p')
    .innerJoin('charges as c', 'c.charge_id', 'p.charge_id')
    .select(['c.amount as total', 'c.currency', 'c.card_brand', 'c.card_last4'])
    .select(['p.company_id', 'p.company_name', 'p.providers', 'p.price', 'p.discount_rate', 'p.promo_code'])
    .select((eb) => [
      'p.automatic',
      eb.ref('p.invoice_number').$notNull().as('number'),
      eb.ref('p.invoice_day').$notNull().as('day'),
      eb.ref('p.starts_on').$notNull().as('starts_on'),
      eb.ref('p.ends_on').$notNull().as('ends_on'),
    ])
    .where('p.invoice_number', 'is not', null);

type Paid = Awaited<ReturnType<ReturnType<typeof paidPurchases>['executeTakeFirstOrThrow']>>;

const rowOf = ({ number, day, providers, starts_on, ends_on, total, currency }: Paid) => ({
  number,
  date: day,
  providers,
  startsOn: starts_on,
  endsOn: ends_on,
  total,
  currency,
});

export const listInvoices = forUsers(listCall, async ({ context, caller, params, tx, now }) => {
  const companyId = resolveCompanyId(caller, params.companyId);
  // Refuses a company that does not exist.
  await readLicense(tx, context, { companyId, now });
  const rows = await paidPurchases(tx)
    .where('p.company_id', '=', companyId)
    .orderBy('p.invoice_number', 'desc')
    .limit(listed)
    .execute();
  return { data: rows.map(rowOf) };
});

export const getInvoice = forUsers(getCall, async ({ context, caller, params, tx }) => {
  const row = await paidPurchases(tx).where('p.invoice_number', '=', params.number).executeTakeFirst();
  if (!row) throw notFound();
  // Another company's invoice is not found.
  const companyId = resolveCompanyId(caller, row.company_id);
  const { providers, price, currency, discount_rate: discountRate } = row;
  const { subtotal, discount } = priceOf({ providers, price, currency, discountRate });
  return {
    ...rowOf(row),
    companyId,
    companyName: row.company_name,
    issuer: new URL(context.publicUrl).host,
    price,
    subtotal,
    promoCode: row.promo_code,
    discountRate,
    discount,
    automatic: row.automatic,
    cardBrand: row.card_brand,
    cardLast4: row.card_last4,
  };
});
