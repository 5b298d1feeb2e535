import { randomBytes, randomInt } from 'node:crypto';
import type { Keys } from '../../platform/keys.ts';

/** 57 letters and digits that nobody mixes up when reading aloud or typing (no 0 O 1 I l); case counts. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const length = 12;

/** 12 of 57 characters: 70 bits. */
export function makeCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** How a code is looked up without being stored. */
export const hashCode = (keys: Keys, code: string): Buffer => keys.mac('code', code);

/** What an appointment stores of its code: the hash to find it, and a sealed copy for staff and mails. */
export function storedCode(
  keys: Keys,
  code: string,
  appointmentUid: string,
): { code_hash: Buffer; code_cipher: Buffer } {
  return { code_hash: hashCode(keys, code), code_cipher: keys.seal(code, appointmentUid) };
}

export const openCode = (keys: Keys, cipher: Buffer, appointmentUid: string): string =>
  keys.unseal(cipher, appointmentUid);

/**
 * What a link adds to the code when it is sent to an email or phone that nobody has proven yet: opening it proves it. The
 * code alone does not, since it is shown on the screen of whoever booked. 10 characters of the codes' alphabet.
 */
export function contactProof(keys: Keys, appointmentUid: string): string {
  const bytes = keys.mac('contact', appointmentUid);
  return Array.from(bytes.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** 32 lower-case hexadecimal digits. */
export const newUid = (): string => randomBytes(16).toString('hex');
