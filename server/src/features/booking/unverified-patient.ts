import { fieldTexts } from '@roomside/contract/texts.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { insertPatient } from '../patients/patient-rows.ts';

/** What somebody who books says of himself; the other of phone and email may be ''. */
interface UnverifiedPatient {
  readonly firstName: string;
  readonly lastName: string;
  readonly doB: string;
  readonly phone: string;
  readonly email: string;
}

/** A birth date in the future is a slip of the finger. */
export function requirePastBirth(doB: string, now: string, timeZone: string): void {
  if (doB > instantToWall(now, timeZone).day) throw new Refusal('invalid', { fields: { doB: fieldTexts.notValid } });
}

/** The new, unverified patient of a booking or a request, in the transaction that has become this patient's. */
export async function insertUnverifiedPatient(
  tx: Tx,
  companyId: number,
  patientId: number,
  person: UnverifiedPatient,
  now: string,
): Promise<void> {
  const { firstName, lastName, doB, email, phone } = person;
  await insertPatient(tx, {
    ...{ companyId, patientId, firstName, lastName, birthDate: doB, email, externalId: '', now },
    phones: phone ? [phone] : [],
    anonymous: false,
    verified: false,
  });
}
