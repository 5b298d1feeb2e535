const formats = new Map<string, Intl.NumberFormat>();

/** Formats the contract's decimal text: '$12.50'. */
export function formatMoney(amount: string, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
    formats.set(currency, format);
  }
  // Intl formats a decimal text exactly, without a conversion to a binary fraction.
  return format.format(amount as `${number}`);
}
