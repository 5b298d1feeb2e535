import { randomBytes } from 'node:crypto';

/** A token of the sandbox's card field for a test card that does this. */
export const cardToken = (outcome = 'paid', brand = 'visa', last4 = '4242'): string =>
  `sbx_${outcome}_${brand}_${last4}_122040_${randomBytes(8).toString('hex')}`;
