import { toCents } from '@roomside/contract/money.ts';
import type { Payment, Receipt } from '@roomside/contract/payments/calls.ts';

/** Texts of the page on which a patient pays, and of the receipt. */
export const texts = {
  eyebrow: 'Payment',
  title: 'Pay for your visit',
  notFound: 'This visit doesn’t exist, or you don’t have access to it.',
  notFoundNote: 'Open the link from your clinic’s message again, or call your clinic.',
  fee: 'Fee',
  discount: 'Discount',
  promoLine: (code: string) => `Promo code ${code}`,
  paid: 'Already paid',
  due: 'Total due',
  promo: 'Promo code (optional)',
  apply: 'Apply',
  remove: (code: string) => `Remove ${code}`,
  promoApplied: 'Your promo code has been applied. Please check the new total, then pay.',
  promoMissing: 'Please enter a code first.',
  card: 'Your card',
  pay: (amount: string) => `Pay ${amount}`,
  payNothing: 'Confirm with promo code',
  paying: 'Paying…',
  keepOpen: 'Please keep this page open. This can take a few seconds.',
  cancellation: cancellationWords,
  checking: {
    title: 'We’re checking your payment',
    text: 'We’re checking with the card company whether your payment went through. You don’t need to pay again.',
    offline: 'You seem offline. We’ll go on as soon as you’re connected again.',
    notPaid: 'Your payment didn’t go through. You have not been charged. Please try again.',
  },
  action: {
    title: 'Please confirm with your bank',
    text: 'Your bank needs to verify that it’s you. Nothing is charged until you confirm.',
    confirm: 'Confirm with my bank',
  },
  off: {
    title: 'You can’t pay here yet',
    text: (amount: string) =>
      `${amount} is still to be paid for this visit, but this clinic doesn’t take cards online at the moment. Please contact the clinic.`,
    visit: 'Go to my visit',
  },
  small: {
    title: 'You can join your visit',
    text: (amount: string) =>
      `${amount} is still to be paid for this visit, which is too little for a card. You can join your visit without paying it now.`,
    visit: 'Go to my visit',
  },
  cancelled: {
    title: 'This visit was cancelled',
    text: 'You don’t need to pay anything. Please contact your clinic if you have questions or need a new time.',
  },
  thanks: {
    title: 'Thank you for your payment!',
    text: 'Your visit opens in a moment.',
    staying: 'Your visit is ready when you are.',
    receipt: 'View receipt',
    visit: 'Go to my visit',
  },
  support: (email: string) => `Email ${email}`,
  receipt: {
    title: 'Receipt',
    number: 'Receipt number',
    patient: 'Patient',
    visit: 'Visit',
    visitWith: (when: string, doctor: string) => `${when} with ${doctor}`,
    fee: 'Fee',
    line: lineWords,
    paid: 'Total paid',
    balance: 'Balance due',
    questions: (email: string) => `Questions about this receipt? Email ${email}.`,
    print: 'Print',
    visitLink: 'Go to my visit',
    back: 'Back',
    none: 'There is no receipt for this visit.',
  },
} as const;

/** What happens with the payment when the patient cancels, said before it is made. */
function cancellationWords({ refund, noticeHours }: Payment['cancellation']): string {
  if (refund === 'never') return 'If you cancel or miss this visit, your payment is not refunded.';
  if (refund === 'manual')
    return 'If you cancel or miss this visit, the clinic decides whether your payment is refunded.';
  const before =
    noticeHours === 0
      ? 'before it starts'
      : `at least ${noticeHours} ${noticeHours === 1 ? 'hour' : 'hours'} before it starts`;
  return `If you cancel this visit ${before}, your payment goes back to your card. If you cancel later or miss the visit, the clinic decides whether it is refunded.`;
}

/** By the processor's word. */
const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

function lineWords({ kind, amount, cardBrand, cardLast4 }: Receipt['lines'][number]): string {
  const card = cardLast4 === '' ? 'card' : `${brands[cardBrand] ?? 'card'} ending in ${cardLast4}`;
  if (kind === 'charge') return `Paid with ${card}`;
  if (kind === 'refund') return toCents(amount) > 0 ? `Refund that did not reach ${card}` : `Refunded to ${card}`;
  if (kind === 'promo') return 'Promo code';
  return toCents(amount) < 0 ? 'Returned by the clinic' : 'Paid at the clinic';
}
