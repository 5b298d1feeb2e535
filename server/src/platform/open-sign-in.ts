import type { SignInKind } from '@roomside/contract/auth/calls.ts';
import type { GuestRole } from '@roomside/contract/guests/guest.ts';
import { codeHoursAfterAppointment } from '@roomside/contract/limits.ts';
import { sql } from 'kysely';
import type { AnyCaller, FactorState, License } from './caller.ts';
import { inOneTrip, type Statement, type Tx } from './database/database.ts';
import { prepared } from './database/prepared.ts';

/** How long a code is valid after its appointment, as a PostgreSQL interval. */
export const codeLifetime = `${codeHoursAfterAppointment} hours`;

interface SignInRow {
  kind: SignInKind;
  company_id: number;
  user_id: number;
  is_super: boolean;
  role_id: 'A' | 'D' | 'U';
  first_name: string;
  last_name: string;
  patient_id: number;
  appointment_id: number;
  appointment_uid: string;
  serial: string;
  time_zone: string;
  currency: string;
  guest_id: number;
  guest_role: GuestRole;
  license: License;
  second_factor: FactorState;
}

const signInQuery = prepared(
  (_tx, { signInId, now }: { signInId: number; now: string }) =>
    sql<SignInRow>`select * from open_sign_in(${signInId}, ${now}, ${codeLifetime})`,
);

/**
 * Sets the transaction's caller from the sign-in, and returns them; null when the sign-in is not valid. Reads the database
 * each time, so that disabled users and companies, changed roles and revoked sign-ins take effect with the next request.
 */
export async function openSignIn(tx: Tx, signInId: number, now: string): Promise<AnyCaller | null> {
  const opened = await openSignInAhead(tx, signInId, now, []);
  return opened && opened.caller;
}

/**
 * As {@link openSignIn}, with statements that are sent in the same round trip and run with the rights that the sign-in has set. When the sign-in
 * is not valid, they run without any rights, and row-level security gives them no rows.
 */
export async function openSignInAhead(
  tx: Tx,
  signInId: number,
  now: string,
  statements: readonly Statement<unknown>[],
): Promise<{ caller: AnyCaller; found: unknown[][] } | null> {
  const [[row], ...found] = await inOneTrip<[SignInRow, ...unknown[]]>(
    tx,
    signInQuery({ signInId, now }),
    ...statements,
  );
  return row ? { caller: callerOf(row, signInId), found } : null;
}

function callerOf(row: SignInRow, signInId: number): AnyCaller {
  const person = { signInId, serial: row.serial, firstName: row.first_name, lastName: row.last_name };
  const company = { companyId: row.company_id, timeZone: row.time_zone, currency: row.currency, license: row.license };
  const visit = { appointmentId: row.appointment_id, appointmentUid: row.appointment_uid };
  if (row.kind === 'patient') {
    return { kind: 'patient', role: 'P', patientId: row.patient_id, ...visit, ...company, ...person };
  }
  if (row.kind === 'guest') {
    const guest = { guestId: row.guest_id, guestRole: row.guest_role };
    return { kind: 'guest', role: 'G', ...guest, ...visit, ...company, ...person };
  }
  if (row.is_super) return { kind: 'super', role: 'Super', userId: row.user_id, ...person };
  return {
    kind: 'staff',
    role: row.role_id,
    userId: row.user_id,
    ...company,
    ...person,
    secondFactor: row.second_factor,
  };
}
