import type { BodyOf } from '@roomside/contract/call.ts';
import { fromCents, toCents } from '@roomside/contract/money.ts';
import type { patientPay } from '@roomside/contract/payments/calls.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { sql } from 'kysely';
import type { PatientCaller } from '../../platform/caller.ts';
import { isoNow } from '../../platform/clock.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { fieldRefusal, Refusal } from '../../platform/refusal.ts';
import { lockCharge } from '../charges/charge-rows.ts';
import { discountOf, less } from './amounts.ts';
import { type PaymentParts, recordPaid } from './end-charge.ts';
import { readPayment } from './read-payment.ts';

interface Scope {
  readonly parts: PaymentParts;
  readonly tx: Tx;
  readonly afterCommit: AfterCommit;
  readonly caller: PatientCaller;
  /** ISO. */
  readonly now: string;
}

/**
 * Creates a charge of what the patient owes, behind the lock of the appointment. Nothing is asked of the processor yet.
 *
 * @returns the charge; null when there is nothing to ask: nothing is owed, a promo code covers everything, or another charge is open
 * @throws Refusal `appointment-cancelled`, `payments-off`, `promo-not-valid`, `amount-changed`, `invalid`
 */
export async function startCharge(
  scope: Scope,
  uid: string,
  { token, promoCode, amount }: BodyOf<typeof patientPay>,
): Promise<number | null> {
  const { parts, tx, afterCommit, caller } = scope;
  const { payment, appointmentId, charges } = await readPayment(tx, caller, uid, { lock: true });
  if (payment.state !== 'due') return null;
  if (payment.cancelled) throw new Refusal('appointment-cancelled');
  if (!payment.processor) throw new Refusal('payments-off');
  const promo = promoCode === null ? null : await takePromo(scope, promoCode, payment.discount);
  const discount = promo ? discountOf(payment, promo.discount_rate) : '0.00';
  const due = less(payment.balance, discount);
  if (toCents(amount) !== toCents(due)) throw new Refusal('amount-changed');
  const isFree = toCents(due) === 0;
  if (!isFree && token === null) throw fieldRefusal('invalid', 'token', fieldTexts.required);
  const attempt = charges.length + 1;
  const { charge_id: chargeId } = await tx
    .insertInto('charges')
    .values({
      charge_key: `${payment.appointmentUid}-${attempt}`,
      company_id: caller.companyId,
      purpose: 'appointment',
      appointment_id: appointmentId,
      patient_id: caller.patientId,
      attempt,
      processor: isFree ? 'none' : payment.processor.processor,
      account: isFree ? '' : payment.processor.publicKey,
      amount: fromCents(toCents(due)),
      currency: caller.currency,
      method: isFree ? '' : (token ?? ''),
      promo_id: promo?.promo_id ?? null,
      discount,
      // Not the time of the request: it may have settled another charge before, and this one must be asked for within seconds.
      created_at: isoNow(parts.clock),
    })
    .returning('charge_id')
    .executeTakeFirstOrThrow();
  if (!isFree) return chargeId;
  const charge = await lockCharge(tx, chargeId);
  if (charge) await recordPaid({ parts, tx, afterCommit }, charge, { externalId: '', card: { brand: '', last4: '' } });
  return null;
}

/** The company's day: a promo code's last one is inclusive. */
export const todayOf = (caller: PatientCaller, now: string): string => instantToWall(now, caller.timeZone).day;

async function takePromo({ tx, caller, now }: Scope, code: string, earlier: string) {
  // One code per appointment.
  if (toCents(earlier) > 0) throw new Refusal('promo-not-valid');
  const { rows } = await sql<{ promo_id: number; discount_rate: number }>`
    select * from take_promo(false, ${code.trim()}, ${todayOf(caller, now)})`.execute(tx);
  if (!rows[0]) throw new Refusal('promo-not-valid');
  return rows[0];
}
