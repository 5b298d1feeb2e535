const formats = new Map<string, Intl.NumberFormat>();

/** '$12.50' from the contract's decimal text and a currency code. */
export function formatMoney(amount: string, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
    formats.set(currency, format);
  }
  // A decimal text is formatted as it is, without becoming a binary fraction.
  return format.format(amount as `${number}`);
}
