import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { contactProof, hashCode } from '../../platform/access-code.ts';
import { audit } from '../../platform/audit.ts';
import { mergePatientRecords } from '../../platform/end-sign-ins.ts';
import { codeLifetime } from '../../platform/open-sign-in.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findMatches, isCertainMatch, readKnown } from '../patients/patient-matches.ts';
import { lockAppointmentsOf } from '../records/patient-rows.ts';
import type { SignInAttempt } from './sign-in.ts';

/**
 * Opening a link that was sent to an email or phone proves that the contact belongs to the patient. An unverified patient
 * is then merged with the one known patient with the same name, birth date and proven contact. A second contact that was
 * typed with the booking is not proven and not compared.
 *
 * @returns whether the proof matches a contact on file
 * @throws Refusal `wrong-code` when the code is unknown, or the proof of an unverified patient does not match
 */
export async function verifyContact(attempt: SignInAttempt, code: string, proof: string): Promise<boolean> {
  const { context, now } = attempt;
  const found = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ appointment_id: number; company_id: number; patient_id: number }>`
      select * from auth_access_code(${hashCode(context.keys, code)}, ${now}, ${codeLifetime})`.execute(tx);
    return rows[0];
  });
  if (!found) throw new Refusal('wrong-code');
  const companyId = found.company_id;
  return context.db.open({ kind: 'job', companyId }, async (tx) => {
    // Waits for a merge of the same patient (the link opened twice, or staff) before it reads the appointment.
    await tx
      .selectFrom('patients')
      .select('patient_id')
      .where('patient_id', '=', found.patient_id)
      .forNoKeyUpdate()
      .execute();
    const appointment = await tx
      .selectFrom('appointments')
      .select(['appointment_uid', 'patient_id'])
      .where('appointment_id', '=', found.appointment_id)
      .executeTakeFirstOrThrow();
    const patient = await readKnown(tx, companyId, appointment.patient_id);
    const proves = (contact: string) =>
      contact !== '' && isSame(proof, contactProof(context.keys, appointment.appointment_uid, contact));
    const email = proves(patient.email) ? patient.email : '';
    const phones = patient.phones.filter(proves);
    const isProven = email !== '' || phones.length > 0;
    if (patient.verified) return isProven;
    if (!isProven) throw new Refusal('wrong-code');
    await lockAppointmentsOf(tx, [patient.patientId]);
    const present = await tx
      .selectFrom('visits')
      .select('appointment_id')
      .where('company_id', '=', companyId)
      .where('patient_id', '=', patient.patientId)
      .where('patient_present_at', 'is not', null)
      .executeTakeFirst();
    const [only, ...others] = (await findMatches(tx, companyId, { ...patient, email, phones })).filter(isCertainMatch);
    // With several matches staff decide. A patient in a room is not merged: peers carry the patient's id.
    if (!only || others.length > 0 || present) return true;
    await mergePatientRecords({ tx, context, now }, patient.patientId, only.patientId);
    audit(tx, {
      caller: null,
      actor: `P_${only.patientId}`,
      companyId,
      at: now,
      action: 'verifyContact',
      path: 'login',
      objects: { patientId: patient.patientId, intoId: only.patientId },
      address: attempt.address,
      requestId: `verify-${found.appointment_id}`,
    });
    return true;
  });
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
