import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits, maxProviders } from '../limits.ts';
import { cardFailures, cardToken, endedCharges, processorOfPage } from '../payments/processors.ts';
import { date, id, idOrZero, money, requiredLine } from '../shape.ts';
import { fieldTexts } from '../texts.ts';
import { cardPositions } from './cards.ts';

/** Administrators for their own company (`companyId` 0 or its id), a Super for any. An expired company must be able to pay. */
const calls = { who: ['A', 'Super'], unlicensed: 'yes' } as const;
const companyParams = z.object({ companyId: idOrZero });

/** Decimal with two places. */
const amount = z.string();

/** How many providers are paid for (VALID-27). */
const providerCount = z
  .int({ error: fieldTexts.notValid })
  .check(z.gte(1, fieldTexts.notValid), z.lte(maxProviders, fieldTexts.notValid));

/** A charge whose end is not known: `processing` waits for the processor, `action` for the person's bank. */
const openPayment = z.object({
  state: z.enum(['processing', 'action']),
  /** With `action`: what the processor's widget needs to ask for the confirmation. */
  actionToken: z.nullable(z.string()),
});

/** The license of a company (STATE-24). Dates are days in the company's zone. */
const license = z.object({
  companyId: z.int(),
  companyName: z.string(),
  supportEmail: z.string(),
  expirationDate: z.string(),
  expired: z.boolean(),
  providerCount: z.int(),
  /** Enabled users who take a license; fewer cannot be bought. */
  providersInUse: z.int(),
  /** Per provider and year; '0.00' = free. */
  price: amount,
  currency: z.string(),
  /** Null: licenses cannot be paid by card. */
  processor: z.nullable(processorOfPage),
  /** Renewed by itself before the expiry. */
  autoRenew: z.boolean(),
  /** The first day on which that is tried. */
  renewsFrom: z.string(),
  payment: z.nullable(openPayment),
  /** How many charges of the license have ended, paid or not. */
  endedCharges: z.int(),
});
export type License = z.infer<typeof license>;

export const getLicense = call({
  ...calls,
  name: 'getLicense',
  summary: 'The license of a company, and what it costs.',
  method: 'GET',
  path: '/api/licenses/:companyId',
  params: companyParams,
  result: license,
});

/** ENTITY-7: a card that the processor keeps, or one that was just typed. */
const card = z.union([z.object({ cardId: id }), z.object({ token: cardToken })]);
export type Card = z.infer<typeof card>;

/** ENTITY-7: user with company, promo code, card. `card` is null when nothing is to be paid. */
const transaction = {
  user: z.object({ company: z.object({ companyId: idOrZero, providerCount }) }),
  promoCode: z.nullable(z.object({ code: requiredLine(limits.promoCode) })),
};

const calculated = z.object({
  /** Providers x price. */
  subtotal: amount,
  /** Percent; 0 without a promo code. */
  discountRate: z.int(),
  discount: amount,
  total: amount,
  currency: z.string(),
  /** The day on which the license would end. */
  expirationDate: z.string(),
});
export type Calculated = z.infer<typeof calculated>;

/** CALL-26. Uses no promo code up. */
export const calculateLicense = call({
  ...calls,
  name: 'calculateLicense',
  summary: 'What a license costs.',
  method: 'POST',
  path: '/api/licenses/calculate',
  body: z.object(transaction),
  result: calculated,
  refusals: ['promo-not-valid', 'providers-in-use', 'too-many'],
});

/** How a purchase stands. While it is open, `expirationDate` is the old one. */
const purchase = z.object({
  state: z.enum(['paid', 'processing', 'action']),
  expirationDate: z.string(),
  actionToken: z.nullable(z.string()),
  /** The first card was declined, the backup was charged. */
  chargedBackup: z.boolean(),
});
export type Purchase = z.infer<typeof purchase>;

/**
 * CALL-26: returns the new expiration date. `amount` and `expirationDate` are what the page showed; another total is refused with
 * `amount-changed`, a license that was renewed meanwhile with `license-changed`. `backup` is charged when the processor declines `card`.
 * While an earlier charge of the company's license is open, that one is settled first.
 */
export const accountPay = call({
  ...calls,
  name: 'accountPay',
  summary: 'Buys a license, or renews it, by card.',
  method: 'POST',
  path: '/api/licenses/pay',
  body: z.object({
    ...transaction,
    card: z.nullable(card),
    backup: z.nullable(card),
    amount: money,
    expirationDate: date,
  }),
  result: purchase,
  refusals: [
    ...cardFailures,
    'license-payments-off',
    'amount-changed',
    'license-changed',
    'promo-not-valid',
    'providers-in-use',
    'too-many',
  ],
});

/** Asks the processor how an open charge stands, as `settlePayment`. */
export const settleLicense = call({
  ...calls,
  name: 'settleLicense',
  summary: 'Brings an open charge of a company’s license to its end.',
  method: 'POST',
  path: '/api/licenses/:companyId/settle',
  params: companyParams,
  body: z.object({ endedCharges }),
  result: purchase,
  refusals: cardFailures,
});

/** ENTITY-7. `cardNumber` is masked: X and the last four digits. `expDate` is 'MM/YYYY'. No code is kept. */
const paymentCard = z.object({
  cardId: z.int(),
  position: z.enum(cardPositions),
  brand: z.string(),
  cardNumber: z.string(),
  expDate: z.string(),
});
export type PaymentCard = z.infer<typeof paymentCard>;
const paymentCards = z.object({ data: z.array(paymentCard) });

/** CALL-27. The primary card first. */
export const getPaymentCards = call({
  ...calls,
  name: 'getPaymentCards',
  summary: 'The cards that are kept for a company’s license.',
  method: 'GET',
  path: '/api/licenses/:companyId/cards',
  params: companyParams,
  result: paymentCards,
});

/** CALL-27. Replaces the card of a position. Nothing is charged. */
export const updatePaymentCard = call({
  ...calls,
  name: 'updatePaymentCard',
  summary: 'Keeps a card for a company’s license.',
  method: 'PUT',
  path: '/api/licenses/:companyId/cards',
  params: companyParams,
  body: z.object({ position: z.enum(cardPositions), token: cardToken }),
  result: paymentCards,
  refusals: [...cardFailures, 'license-payments-off'],
});

/** CALL-27, VALID-27. A backup takes the place of a deleted primary card. */
export const deletePaymentCard = call({
  ...calls,
  name: 'deletePaymentCard',
  summary: 'Deletes a card of a company’s license.',
  method: 'DELETE',
  path: '/api/licenses/:companyId/cards/:cardId',
  params: z.object({ companyId: idOrZero, cardId: id }),
  result: paymentCards,
  refusals: ['last-card'],
});

export const saveRenewal = call({
  ...calls,
  name: 'saveRenewal',
  summary: 'Switches the automatic renewal of a license on or off.',
  method: 'PUT',
  path: '/api/licenses/:companyId/renewal',
  params: companyParams,
  body: z.object({ autoRenew: z.boolean() }),
});

/** The invoice of a purchase. Amounts in `currency`; days in the company's zone. */
const invoiceRow = z.object({
  number: z.int(),
  /** The day of the payment. */
  date: z.string(),
  providers: z.int(),
  startsOn: z.string(),
  endsOn: z.string(),
  total: amount,
  currency: z.string(),
});
export type InvoiceRow = z.infer<typeof invoiceRow>;

/** The latest 100. */
export const listInvoices = call({
  ...calls,
  name: 'listInvoices',
  summary: 'The invoices of a company’s licenses, the latest first.',
  method: 'GET',
  path: '/api/licenses/:companyId/invoices',
  params: companyParams,
  result: z.object({ data: z.array(invoiceRow) }),
});

const invoice = z.extend(invoiceRow, {
  companyId: z.int(),
  companyName: z.string(),
  /** The address of the installation that issued it, e.g. 'visits.example.com'. */
  issuer: z.string(),
  price: amount,
  subtotal: amount,
  promoCode: z.string(),
  discountRate: z.int(),
  discount: amount,
  automatic: z.boolean(),
  /** '' when nothing was paid. */
  cardBrand: z.string(),
  cardLast4: z.string(),
});
export type Invoice = z.infer<typeof invoice>;

export const getInvoice = call({
  ...calls,
  name: 'getInvoice',
  summary: 'The invoice of a license.',
  method: 'GET',
  path: '/api/invoices/:number',
  params: z.object({ number: id }),
  result: invoice,
});
