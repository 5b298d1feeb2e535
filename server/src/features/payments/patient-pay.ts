import { toCents } from '@roomside/contract/money.ts';
import {
  checkPromo as checkCall,
  getPayment as getCall,
  patientPay as payCall,
  settlePayment as settleCall,
} from '@roomside/contract/payments/calls.ts';
import { sql } from 'kysely';
import type { PatientCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forPatient, forPatientInSteps } from '../../platform/http/handler.ts';
import { Refusal } from '../../platform/refusal.ts';
import { throttle } from '../../platform/throttle.ts';
import { type Charge, isOpen } from '../charges/charge-rows.ts';
import { discountOf, less } from './amounts.ts';
import { readPayment } from './read-payment.ts';
import { isAboutToBeAsked, settleCharge } from './settle-charge.ts';
import { startCharge, todayOf } from './start-charge.ts';

/** PAY-1, CALL-28. */
export const getPayment = forPatient(getCall, async ({ caller, params, tx, touched }) => {
  const { payment, appointmentId } = await readPayment(tx, caller, params.uid);
  touched('appointmentId', appointmentId);
  return payment;
});

/** Guessing promo codes is slowed down. */
const throttlePromo = (context: Context, { patientId }: PatientCaller) =>
  throttle(context, [{ scope: 'promo', subject: `patient ${patientId}` }]);

export const checkPromo = forPatientInSteps(checkCall, async ({ context, params, body, now, look }) => {
  const caller = await look(async (_tx, who) => who);
  const { forgive } = await throttlePromo(context, caller);
  const found = await look(async (tx) => {
    const { payment } = await readPayment(tx, caller, params.uid);
    const { rows } = await sql<{ code: string; discount_rate: number }>`
      select code, discount_rate from find_promo(false, ${body.code.trim()}, ${todayOf(caller, now)})`.execute(tx);
    const [promo] = rows;
    if (!promo || toCents(payment.discount) > 0) throw new Refusal('promo-not-valid');
    const discount = discountOf(payment, promo.discount_rate);
    return { code: promo.code, discountRate: promo.discount_rate, discount, balance: less(payment.balance, discount) };
  });
  await forgive();
  return found;
});

type Look = <T>(work: (tx: Tx, caller: PatientCaller) => Promise<T>) => Promise<T>;
const view = (look: Look, uid: string) => look(async (tx, caller) => (await readPayment(tx, caller, uid)).payment);

/** Settles the open charge of an appointment, if there is one. Returns whether a new one may be made. */
async function settleOpen(context: Context, companyId: number, charges: readonly Charge[]): Promise<boolean> {
  const open = charges.find(isOpen);
  if (!open) return true;
  // Another request is about to ask for it.
  if (isAboutToBeAsked(context, open)) return false;
  const settled = await settleCharge(context, { companyId, chargeId: open.chargeId });
  return settled.is === 'failed';
}

/** CALL-28. */
export const patientPay = forPatientInSteps(payCall, async ({ context, params, body, now, look, commit, touched }) => {
  const { uid } = params;
  const { caller, charges } = await look(async (tx, who) => ({
    caller: who,
    charges: (await readPayment(tx, who, uid)).charges,
  }));
  const { companyId } = caller;
  const promo = body.promoCode === null ? null : await throttlePromo(context, caller);
  if (!(await settleOpen(context, companyId, charges))) return view(look, uid);
  const chargeId = await commit(async (tx, who, afterCommit) => {
    const started = await startCharge({ parts: context, tx, afterCommit, caller: who, now }, uid, body);
    if (started !== null) touched('chargeId', started);
    return started;
  });
  await promo?.forgive();
  if (chargeId !== null) {
    const settled = await settleCharge(context, { companyId, chargeId });
    if (settled.is === 'failed') throw new Refusal(settled.failure);
  }
  return view(look, uid);
});

export const settlePayment = forPatientInSteps(settleCall, async ({ context, params, body, look }) => {
  const { companyId, charges } = await look(async (tx, caller) => ({
    companyId: caller.companyId,
    charges: (await readPayment(tx, caller, params.uid)).charges,
  }));
  await settleOpen(context, companyId, charges);
  const ended = await look(async (tx, caller) => (await readPayment(tx, caller, params.uid)).charges);
  const last = ended.slice(body.endedCharges).at(-1);
  if (last?.state === 'failed') throw new Refusal(last.failure || 'card-error');
  return view(look, params.uid);
});
