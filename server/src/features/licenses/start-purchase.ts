import { toCents } from '@roomside/contract/money.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { lockCharge } from '../charges/charge-rows.ts';
import { type PaymentParts, recordPaid } from '../payments/end-charge.ts';
import type { StoredLicense } from './license-rows.ts';
import { priceOf } from './price.ts';

/** What is bought, and how it is paid. */
export interface PurchaseOrder {
  readonly providers: number;
  readonly promoCode: string | null;
  /** A token or a reference of the processor; null: nothing is to be paid. */
  readonly method: string | null;
  /** What the person has seen. */
  readonly amount: string;
  readonly automatic: boolean;
}

interface Scope {
  readonly parts: PaymentParts;
  readonly tx: Tx;
  readonly afterCommit: AfterCommit;
  /** ISO. */
  readonly now: string;
}

/**
 * Creates a charge for the license of a company whose row is locked and that has no open one. Nothing is asked of the processor yet.
 *
 * @returns the charge; null when nothing was to be paid and the license is extended already
 * @throws Refusal `promo-not-valid`, `amount-changed`, `license-payments-off`, `invalid`
 */
export async function startPurchase(
  scope: Scope,
  { license, companyUid }: StoredLicense,
  { providers, promoCode, method, amount, automatic }: PurchaseOrder,
): Promise<number | null> {
  const { parts, tx, afterCommit, now } = scope;
  const { companyId, price, currency, processor } = license;
  const promo = promoCode === null ? null : await takePromo(tx, promoCode, now);
  const { discount, total } = priceOf({ providers, price, currency, discountRate: promo?.discount_rate ?? 0 });
  if (toCents(amount) !== toCents(total)) throw new Refusal('amount-changed');
  const isFree = toCents(total) === 0;
  if (!isFree && !processor) throw new Refusal('license-payments-off');
  if (!isFree && method === null) throw fieldRefusal('invalid', 'card', fieldTexts.required);
  const { last } = await tx
    .selectFrom('charges')
    .select((eb) => eb.fn.coalesce(eb.fn.max('attempt'), sql<number>`0`).as('last'))
    .where('company_id', '=', companyId)
    .where('purpose', '=', 'license')
    .executeTakeFirstOrThrow();
  const attempt = last + 1;
  const { charge_id: chargeId } = await tx
    .insertInto('charges')
    .values({
      charge_key: `license-${companyUid}-${attempt}`,
      company_id: companyId,
      purpose: 'license',
      attempt,
      processor: isFree || !processor ? 'none' : processor.processor,
      account: isFree || !processor ? '' : processor.publicKey,
      amount: total,
      currency,
      method: isFree ? '' : (method ?? ''),
      promo_id: promo?.promo_id ?? null,
      discount,
      attended: !automatic,
      // Not the time of the request: it may have settled another charge before, and this one must be asked for within seconds.
      created_at: isoNow(parts.clock),
    })
    .returning('charge_id')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('license_purchases')
    .values({
      charge_id: chargeId,
      company_id: companyId,
      providers,
      price,
      discount_rate: promo?.discount_rate ?? 0,
      promo_code: promo?.code ?? '',
      automatic,
      created_at: now,
    })
    .execute();
  if (!isFree) return chargeId;
  const charge = await lockCharge(tx, chargeId);
  if (charge) await recordPaid({ parts, tx, afterCommit }, charge, { externalId: '', card: { brand: '', last4: '' } });
  return null;
}

interface Promo {
  promo_id: number;
  code: string;
  discount_rate: number;
}

/** The installation's day: the last one of its promo codes is inclusive. */
const installationDay = (now: string): string => instantToWall(now, 'UTC').day;

/**
 * A promo code of the installation that can be used now. Does not use it up.
 *
 * @throws Refusal `promo-not-valid`
 */
export async function findPromo(tx: Tx, typed: string, now: string): Promise<Promo> {
  const { rows } = await sql<Promo>`
    select * from find_promo(true, ${typed.trim()}, ${installationDay(now)})`.execute(tx);
  if (!rows[0]) throw new Refusal('promo-not-valid');
  return rows[0];
}

async function takePromo(tx: Tx, typed: string, now: string): Promise<Promo> {
  const promo = await findPromo(tx, typed, now);
  const { rows } = await sql`select * from take_promo(true, ${promo.code}, ${installationDay(now)})`.execute(tx);
  if (!rows[0]) throw new Refusal('promo-not-valid');
  return promo;
}
