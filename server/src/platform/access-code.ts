import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from './context.ts';
import type { Tx } from './database/database.ts';
import { UnreadableValue } from './envelope.ts';
import type { Keys } from './keys.ts';
import { openText, sealedPlaces, sealText } from './sealed-text.ts';

/** 57 letters and digits without the similar 0 O 1 I l; upper and lower case differ. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const length = 12;

/** Returns a random code of 12 characters (70 bits). */
export function createAccessCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** The keyed hash by which a code is found. */
export const hashCode = (keys: Keys, code: string): Buffer => keys.mac('code', code);

/** Returns the columns of an appointment's code: the hash to find it, and a sealed copy for staff and messages. */
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
 * Returns the 10 characters that a link adds to the code when it is sent to an unverified email or phone (E.164). Opening
 * the link proves this contact. The code alone proves none: the screen of the person who booked shows it.
 */
export function contactProof(keys: Keys, appointmentUid: string, contact: string): string {
  const bytes = keys.mac('contact', `${appointmentUid} ${contact.toLowerCase()}`);
  return Array.from(bytes.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** The columns from which an appointment's code is read. */
export interface CodeRow {
  readonly appointment_uid: string;
  readonly code_cipher: Buffer;
  /** The code was shown at the booking, and the patient has been merged with a known one since (auth_access_code). */
  readonly requires_proof: boolean;
  readonly email: string;
  readonly phone: string | null;
}

/**
 * Returns the code for the clinic and the patient, with the proof if it needs one. Returns '' when it cannot be decrypted,
 * so that the appointment stays readable; staff can create a new code.
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

/** Whether a sign-in with the code needs the proof; `a` is the appointment. A new code needs none. */
export const requiresProof = sql<boolean>`coalesce(a.pre_merge_code = a.code_hash, false)`;

/** 32 lower-case hexadecimal digits. */
export const newUid = (): string => randomBytes(16).toString('hex');
