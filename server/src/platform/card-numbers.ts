import { holdsCardNumber } from '@roomside/contract/card-number.ts';
import { fieldRefusal } from './refusal.ts';

/**
 * Payment card numbers must not be stored. Checks free texts, by field.
 *
 * @throws Refusal `card-number` with the field
 */
export function refuseCardNumbers(texts: Readonly<Record<string, string>>): void {
  for (const [field, text] of Object.entries(texts)) {
    if (holdsCardNumber(text)) throw fieldRefusal('card-number', field);
  }
}
