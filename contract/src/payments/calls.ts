import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { id, money, requiredLine, uid } from '../shape.ts';
import { cardFailures, cardToken, endedCharges, processorName, processorOfPage } from './processors.ts';

/**
 * How the payment of an appointment stands. `due`: something is owed. `processing`: the processor's answer is not known yet, nothing else may
 * be charged meanwhile. `action`: the bank asks the patient to confirm. `settled`: nothing is owed. `small`: less is owed than a card can be charged;
 * the patient may join, and the clinic collects it or not.
 */
const state = z.enum(['due', 'processing', 'action', 'settled', 'small']);

/** What a clinic returns when a patient cancels a paid appointment before the notice period. */
export const refundRules = ['automatic', 'manual', 'never'] as const;
export type RefundRule = (typeof refundRules)[number];

const amount = z.string();

/** PAY-1. Amounts are decimals with two places in the company's currency. */
const payment = z.object({
  appointmentUid: z.string(),
  startDate: z.string(),
  doctor: z.object({ firstName: z.string(), lastName: z.string() }),
  companyName: z.string(),
  supportEmail: z.string(),
  timeZone: z.string(),
  currency: z.string(),
  cancelled: z.boolean(),
  state,
  fee: amount,
  /** What promo codes have taken off. */
  discount: amount,
  /** What was paid without discounts. */
  paid: amount,
  /** What is owed now. */
  balance: amount,
  /** Null: the company takes no payments by card. */
  processor: z.nullable(processorOfPage),
  /** With `action`: what the processor's widget needs to ask for the confirmation. */
  actionToken: z.nullable(z.string()),
  /** A receipt can be shown. */
  hasReceipt: z.boolean(),
  cancellation: z.object({ refund: z.enum(refundRules), noticeHours: z.int() }),
  /** How many charges of the appointment have ended, paid or not. */
  endedCharges: z.int(),
});
export type Payment = z.infer<typeof payment>;

/** PAY-1, CALL-28. */
export const getPayment = call({
  name: 'getPayment',
  summary: 'What a patient owes for an appointment.',
  method: 'GET',
  path: '/api/payments/:uid',
  who: ['P'],
  params: z.object({ uid }),
  result: payment,
});

const promoCode = requiredLine(limits.promoCode);

/** Does not use the code up. */
export const checkPromo = call({
  name: 'checkPromo',
  summary: 'What a promo code would take off what a patient owes.',
  method: 'POST',
  path: '/api/payments/:uid/promo',
  who: ['P'],
  params: z.object({ uid }),
  body: z.object({ code: promoCode }),
  result: z.object({ code: z.string(), discountRate: z.int(), discount: amount, balance: amount }),
  refusals: ['promo-not-valid', 'too-many'],
});

/**
 * CALL-28. Pays the balance. `amount` is what the page showed; another balance is refused with `amount-changed`. With a promo code that covers
 * everything `token` is null. While an earlier charge of the appointment is open, that one is settled first and no second one is made.
 */
export const patientPay = call({
  name: 'patientPay',
  summary: 'Pays what a patient owes for an appointment by card.',
  method: 'POST',
  path: '/api/payments/:uid',
  who: ['P'],
  params: z.object({ uid }),
  body: z.object({ token: z.nullable(cardToken), promoCode: z.nullable(promoCode), amount: money }),
  result: payment,
  refusals: [...cardFailures, 'payments-off', 'amount-changed', 'promo-not-valid', 'appointment-cancelled', 'too-many'],
});

/**
 * Asks the processor how an open charge stands: after a confirmation, and when its answer was lost. `endedCharges` is what the page knew when it
 * paid: the failure of an earlier charge is not this one's, whose request may not have arrived.
 */
export const settlePayment = call({
  name: 'settlePayment',
  summary: 'Brings an open charge of a patient’s appointment to its end.',
  method: 'POST',
  path: '/api/payments/:uid/settle',
  who: ['P'],
  params: z.object({ uid }),
  body: z.object({ endedCharges }),
  result: payment,
  refusals: cardFailures,
});

/** A receipt. Lines are what was charged, discounted and refunded; `amount` may be negative. */
const receipt = z.object({
  number: z.string(),
  companyName: z.string(),
  supportEmail: z.string(),
  timeZone: z.string(),
  currency: z.string(),
  patient: z.object({ firstName: z.string(), lastName: z.string() }),
  doctor: z.object({ firstName: z.string(), lastName: z.string() }),
  startDate: z.string(),
  fee: amount,
  lines: z.array(
    z.object({
      kind: z.enum(['charge', 'manual', 'promo', 'refund']),
      date: z.string(),
      amount,
      /** Of a charge and its refund: 'visa', '4242'; else ''. */
      cardBrand: z.string(),
      cardLast4: z.string(),
    }),
  ),
  paid: amount,
  balance: amount,
});
export type Receipt = z.infer<typeof receipt>;

/** Staff of the company, and the patient. */
export const getReceipt = call({
  name: 'getReceipt',
  summary: 'The receipt of an appointment.',
  method: 'GET',
  path: '/api/receipts/:uid',
  who: ['A', 'D', 'U', 'P'],
  params: z.object({ uid }),
  result: receipt,
});

/**
 * CALL-5, APPT-4, STATE-3: returns all that was paid by card, each charge once and in full; `collected` becomes 0. What was paid in another way
 * is returned by the clinic itself.
 */
export const refundAppointment = call({
  name: 'refundAppointment',
  summary: 'Refunds what was paid for an appointment.',
  method: 'POST',
  path: '/api/appointments/:appointmentId/refund',
  who: ['A'],
  params: z.object({ appointmentId: id }),
  body: z.object({ reason: requiredLine(limits.refundReason) }),
  result: z.object({ collected: amount, version: z.int() }),
  refusals: ['card-number', 'nothing-to-refund', 'refund-failed', 'refund-elsewhere', 'refund-open', 'payment-open'],
});

/** CALL-20, ENTITY-6. */
export const listPaymentProcessors = call({
  name: 'listPaymentProcessors',
  summary: 'The payment processors that a company can choose.',
  method: 'GET',
  path: '/api/payment-processors',
  who: ['A', 'Super'],
  result: z.object({
    data: z.array(
      z.object({ processor: processorName, displayName: z.string(), userLabel: z.string(), passwordLabel: z.string() }),
    ),
  }),
});
