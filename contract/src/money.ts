/** Amounts are decimal texts on the wire and integer cents in code, because binary fractions are inexact. */

const pattern = /^(-?)(\d{1,10})(?:\.(\d{1,2}))?$/;

/** Whether the text is a decimal with at most two places. */
export const isAmount = (text: string): boolean => pattern.test(text);

/** '12.5' -> 1250. Throws on anything that is not an amount. */
export function toCents(amount: string): number {
  const match = pattern.exec(amount);
  // Without the text: it may be anything that was typed, and errors are logged.
  if (!match) throw new RangeError('Not an amount.');
  const cents = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'));
  return match[1] ? -cents : cents;
}

/** 1250 -> '12.50'. */
export function fromCents(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / 100);
  return `${cents < 0 ? '-' : ''}${whole}.${String(Math.abs(cents) % 100).padStart(2, '0')}`;
}

/** The open balance: fee minus collected, cents (PAY-1, STATE-3). */
export function balanceCents(fee: string, collected: string): number {
  return toCents(fee) - toCents(collected);
}

/**
 * The least amounts that a card can be charged, cents, as Stripe has them (docs.stripe.com/currencies); the sandbox does the same. Clinics have dollars:
 * another currency needs its own amount.
 */
const leastOf: Readonly<Record<string, number>> = { USD: 50, GBP: 30 };

/** Whether a card can be charged so many cents. */
export const isCardAmount = (cents: number, currency: string): boolean => cents >= (leastOf[currency] ?? 1);

/**
 * ROOM-7, PAY-1: whether a card can be charged what the fee exceeds the collected amount by, the appointment is not cancelled, and the company has
 * a processor. Less than a card can be charged does not keep a patient out (decision 071).
 */
export function isChargeable(appointment: {
  fee: string;
  collected: string;
  cancelled: boolean;
  hasProcessor: boolean;
  currency: string;
}): boolean {
  const { fee, collected, cancelled, hasProcessor, currency } = appointment;
  return hasProcessor && !cancelled && isCardAmount(balanceCents(fee, collected), currency);
}
