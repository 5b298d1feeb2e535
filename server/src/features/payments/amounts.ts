import { fromCents, toCents } from '@roomside/contract/money.ts';

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

/** A percentage of the fee, rounded half up to a cent, at most the balance. */
export function discountOf({ fee, balance }: Pick<Due, 'fee' | 'balance'>, discountRate: number): string {
  return fromCents(Math.min(toCents(balance), Math.floor((toCents(fee) * discountRate + 50) / 100)));
}

/** `a` - `b`. */
export const less = (a: string, b: string): string => fromCents(toCents(a) - toCents(b));
