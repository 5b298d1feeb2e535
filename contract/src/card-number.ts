/**
 * Whether a text contains a possible payment card number: 13 to 19 digits, optionally separated by single spaces or dashes,
 * with a valid check digit (Luhn). Such texts are refused everywhere, so that card numbers never reach the database or logs.
 */
export function holdsCardNumber(text: string): boolean {
  for (const match of text.matchAll(/(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])/g)) {
    if (passesLuhn(match[0].replace(/\D/g, ''))) return true;
  }
  return false;
}

/** Whether the last of some digits is their check digit (Luhn). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    const value = i % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && /[1-9]/.test(digits);
}
