import { fromCents, toCents } from '@roomside/contract/money.ts';
import { discountOf, less } from '../payments/amounts.ts';

/** What a license costs. Decimals with two places. */
export interface Price {
  readonly subtotal: string;
  readonly discount: string;
  readonly total: string;
}

/** Providers x price x (1 - discount), the discount as for appointments. */
export function priceOf({
  providers,
  price,
  currency,
  discountRate,
}: {
  providers: number;
  price: string;
  currency: string;
  discountRate: number;
}): Price {
  const subtotal = fromCents(providers * toCents(price));
  const discount = discountOf({ fee: subtotal, balance: subtotal, currency }, discountRate);
  return { subtotal, discount, total: less(subtotal, discount) };
}
