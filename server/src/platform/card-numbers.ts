import { holdsCardNumber } from '@roomside/contract/card-number.ts';
import { Refusal } from './refusal.ts';

/** Refuses free texts that hold a payment card's number, by field (decisions, 7: they never reach our database). */
export function refuseCardNumbers(texts: Readonly<Record<string, string>>): void {
  for (const [field, text] of Object.entries(texts)) {
    if (holdsCardNumber(text))
      throw new Refusal('card-number', { fields: { [field]: new Refusal('card-number').message } });
  }
}
