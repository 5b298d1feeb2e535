import { passesLuhn } from '@roomside/contract/card-number.ts';

/** What was typed about a card. */
export interface TypedCard {
  number: string;
  expiry: string;
  code: string;
}

const brands = [
  { brand: 'visa', name: 'Visa', starts: /^4/ },
  { brand: 'mastercard', name: 'Mastercard', starts: /^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/ },
  { brand: 'amex', name: 'Amex', starts: /^3[47]/ },
  { brand: 'discover', name: 'Discover', starts: /^(6011|64[4-9]|65)/ },
] as const;

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** The brand of a number of which the first digits are known; `brand` is part of the token. */
export function brandOf(number: string): { brand: string; name: string } {
  return brands.find(({ starts }) => starts.test(digitsOf(number))) ?? { brand: 'card', name: '' };
}

const isAmex = (number: string): boolean => brandOf(number).brand === 'amex';

/** '4242424242424242' -> '4242 4242 4242 4242'; American Express in groups of 4, 6 and 5. */
export function formatNumber(typed: string): string {
  const digits = digitsOf(typed);
  const groups = isAmex(digits) ? [4, 6, 5] : [4, 4, 4, 4];
  let from = 0;
  const parts = groups.map((length) => digits.slice(from, (from += length)));
  return parts.filter(Boolean).join(' ');
}

/** '7' -> '07', '1230' -> '12/30', '12/2030' -> '12/30'. `deleting` adds no slash, so that it can be deleted. */
export function formatExpiry(typed: string, deleting = false): string {
  const [month = '', year] = typed.split('/').map(digitsOf);
  if (year === undefined) {
    const digits = /^[2-9]/.test(month) ? `0${month}` : month;
    if (digits.length < 2 || (deleting && digits.length === 2)) return digits;
    return `${digits.slice(0, 2)}/${shortYear(digits.slice(2))}`;
  }
  return `${month.length === 1 && year !== '' ? `0${month}` : month.slice(0, 2)}/${shortYear(year)}`;
}

/** Four digits may be typed or filled in by the browser. */
function shortYear(year: string): string {
  if (/^20\d\d/.test(year)) return year.slice(2, 4);
  return /^20\d$/.test(year) ? year : year.slice(0, 2);
}

const words = {
  number: 'Enter your card number.',
  numberLength: 'A card number has 15 or 16 digits.',
  numberWrong: 'This card number isn’t right. Please check it.',
  expiry: 'Enter month and year, such as 08/29.',
  expired: 'This card has expired.',
  code: 'Enter the 3 digits on the back.',
  codeAmex: 'Enter the 4 digits on the front.',
};

/** Returns what is wrong with a card, by field (VALID-27). `today` decides whether it has expired. */
export function checkCard(card: TypedCard, today: Date): Partial<Record<keyof TypedCard, string>> {
  const number = wrongNumber(digitsOf(card.number));
  const expiry = wrongExpiry(card.expiry, today);
  const code = wrongCode(card);
  return { ...(number && { number }), ...(expiry && { expiry }), ...(code && { code }) };
}

function wrongNumber(digits: string): string | undefined {
  if (digits === '') return words.number;
  if (digits.length !== 15 && digits.length !== 16) return words.numberLength;
  return passesLuhn(digits) && (digits.length === 15) === isAmex(digits) ? undefined : words.numberWrong;
}

/** Month (1 to 12) and year of a typed date; undefined for anything else. */
function expiryOf(typed: string): { month: number; year: number } | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(typed) ?? [];
  return month && year ? { month: Number(month), year: 2000 + Number(year) } : undefined;
}

/** A card is valid to the end of its month. */
function wrongExpiry(typed: string, today: Date): string | undefined {
  const expiry = expiryOf(typed);
  if (!expiry) return words.expiry;
  const isOver = expiry.year * 12 + expiry.month - 1 < today.getFullYear() * 12 + today.getMonth();
  return isOver ? words.expired : undefined;
}

function wrongCode({ number, code }: TypedCard): string | undefined {
  if (isAmex(number)) return /^\d{4}$/.test(code) ? undefined : words.codeAmex;
  return /^\d{3}$/.test(code) ? undefined : words.code;
}

/** A correct card's parts for the token. `expiry` is 'MM/YYYY'. */
export function partsOf(card: TypedCard): { brand: string; last4: string; expiry: string } {
  const { month = 0, year = 0 } = expiryOf(card.expiry) ?? {};
  return {
    brand: brandOf(card.number).brand,
    last4: digitsOf(card.number).slice(-4),
    expiry: `${String(month).padStart(2, '0')}/${year}`,
  };
}
