import { limits } from '@roomside/contract/limits.ts';

/** 64 characters without look-alikes: one byte selects one without bias. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.!@#$%';

/** A random password of 12 characters (VALID-26). */
export function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(limits.generatedPassword));
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}
