import { fromCents, isCardAmount, toCents } from '@roomside/contract/money.ts';

/** What is left to pay, and how it came about. Decimals with two places. */
export interface Due {
  readonly fee: string;
  /** What promo codes took off. */
  readonly discount: string;
  /** What was paid, less refunds. */
  readonly paid: string;
  readonly balance: string;
}

/**
 * Returns what is due for an appointment.
 *
 * @param collected the sum of the ledger, `discount` included
 */
export function dueOf({ fee, collected, discount }: { fee: string; collected: string; discount: string }): Due {
  const balance = Math.max(0, toCents(fee) - toCents(collected));
  return { fee, discount, paid: fromCents(toCents(collected) - toCents(discount)), balance: fromCents(balance) };
}

/** A percentage of the fee, rounded half up to a cent. It covers the whole balance when it leaves less than a card can be charged. */
export function discountOf(
  { fee, balance, currency }: Pick<Due, 'fee' | 'balance'> & { currency: string },
  discountRate: number,
): string {
  const discount = Math.floor((toCents(fee) * discountRate + 50) / 100);
  const leaves = toCents(balance) - discount;
  return discount > 0 && !isCardAmount(leaves, currency) ? fromCents(toCents(balance)) : fromCents(discount);
}

/** `a` - `b`. */
export const less = (a: string, b: string): string => fromCents(toCents(a) - toCents(b));
