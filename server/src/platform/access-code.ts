import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';
import { UnreadableValue } from './envelope.ts';
import type { Keys } from './keys.ts';
import { openText, sealedPlaces, sealText } from './sealed-text.ts';

/** 57 letters and digits that nobody mixes up when reading aloud or typing (no 0 O 1 I l); case counts. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const length = 12;

/** 12 of 57 characters: 70 bits. */
export function createAccessCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** How a code is looked up without being stored. */
export const hashCode = (keys: Keys, code: string): Buffer => keys.mac('code', code);

/** What an appointment stores of its code: the hash to find it, and a sealed copy for staff and mails. */
export async function storedCode(
  tx: Tx,
  keys: Keys,
  code: string,
  of: { companyId: number; appointmentUid: string; now: string },
): Promise<{ code_hash: Buffer; code_cipher: Buffer }> {
  const code_cipher = await sealText(tx, keys, of, code, sealedPlaces.code(of.appointmentUid));
  return { code_hash: hashCode(keys, code), code_cipher };
}

/**
 * What a link adds to the code when it is sent to an email or phone (E.164) that nobody has proven yet: opening it proves
 * this one contact and no other. The code alone proves nothing, since it is shown on the screen of whoever booked. 10
 * characters of the codes' alphabet.
 */
export function contactProof(keys: Keys, appointmentUid: string, contact: string): string {
  const bytes = keys.mac('contact', `${appointmentUid} ${contact.toLowerCase()}`);
  return Array.from(bytes.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** An appointment's code and what tells how far it reaches. */
export interface CodeRow {
  readonly appointment_uid: string;
  readonly code_cipher: Buffer;
  /** The code was shown to whoever booked, and the visit has been joined with a known patient since (auth_access_code). */
  readonly requires_proof: boolean;
  readonly email: string;
  readonly phone: string | null;
}

/**
 * The code as the clinic and the patient may have it: a guarded one with the proof that it takes. '' when it is damaged or
 * its key is gone: that must not hide the appointment, which has no code until staff make a new one.
 */
export async function openCodeOrNone(
  tx: Tx,
  { keys, log }: Pick<Context, 'keys' | 'log'>,
  companyId: number,
  row: CodeRow,
): Promise<string> {
  try {
    return await openCode(tx, keys, companyId, row);
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    log.error({ appointment: row.appointment_uid }, 'an access code cannot be read; a new one has to be made');
    return '';
  }
}

async function openCode(tx: Tx, keys: Keys, companyId: number, row: CodeRow): Promise<string> {
  const code = await openText(tx, keys, companyId, row.code_cipher, sealedPlaces.code(row.appointment_uid));
  const contact = row.email || row.phone;
  return row.requires_proof && contact ? `${code}-${contactProof(keys, row.appointment_uid, contact)}` : code;
}

/** Whether the code opens nothing without a proof; `a` is the appointment. Any new code ends it. */
export const requiresProof = sql<boolean>`coalesce(a.pre_merge_code = a.code_hash, false)`;

/** 32 lower-case hexadecimal digits. */
export const newUid = (): string => randomBytes(16).toString('hex');
