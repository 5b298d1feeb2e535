import { fieldTexts } from '@roomside/contract/texts.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fieldRefusal } from '../../platform/refusal.ts';
import { insertPatient } from '../patients/patient-rows.ts';

/** The typed data of a person who books; phone or email may be ''. */
interface UnverifiedPatient {
  readonly firstName: string;
  readonly lastName: string;
  readonly doB: string;
  readonly phone: string;
  readonly email: string;
}

/** Refuses a birth date in the future. */
export function requirePastBirth(doB: string, now: string, timeZone: string): void {
  if (doB > instantToWall(now, timeZone).day) throw fieldRefusal('invalid', 'doB', fieldTexts.notValid);
}

/** Inserts the unverified patient of a booking or a request; `becomePatient` has changed the transaction's kind. */
export async function insertUnverifiedPatient(
  tx: Tx,
  companyId: number,
  patientId: number,
  person: UnverifiedPatient,
  now: string,
): Promise<void> {
  const { firstName, lastName, doB, email, phone } = person;
  await insertPatient(tx, {
    companyId,
    patientId,
    firstName,
    lastName,
    birthDate: doB,
    email,
    externalId: '',
    now,
    phones: phone ? [phone] : [],
    anonymous: false,
    verified: false,
  });
}
