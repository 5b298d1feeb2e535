import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { codeLives } from '../../platform/session.ts';
import { contactProof, hashCode } from '../appointments/access-code.ts';
import { findMatches, isSurely, readKnown } from '../patients/patient-matches.ts';
import type { Door } from './sign-in.ts';

/**
 * Decisions, 5: opening the link that was sent to the email or phone on file proves that it is the patient's. One who
 * booked as a stranger is then joined with the one known patient who has the same name, birth date and contact. Refuses a
 * proof that is not right, as a wrong code.
 */
export async function recognise(door: Door, code: string, proof: string): Promise<void> {
  const { context, now } = door;
  const found = await context.db.open({ kind: 'door' }, async (tx) => {
    const { rows } = await sql<{ appointment_id: number; company_id: number; patient_id: number }>`
      select * from door_code(${hashCode(context.keys, code)}, ${now}, ${codeLives})`.execute(tx);
    return rows[0];
  });
  if (!found) throw new Refusal('wrong-code');
  const companyId = found.company_id;
  await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const visit = await tx
      .selectFrom('appointments')
      .select(['appointment_uid', 'patient_id'])
      .where('appointment_id', '=', found.appointment_id)
      .executeTakeFirstOrThrow();
    if (!isSame(proof, contactProof(context.keys, visit.appointment_uid))) throw new Refusal('wrong-code');
    const patient = await readKnown(tx, companyId, visit.patient_id);
    if (patient.verified) return;
    const present = await tx
      .selectFrom('visits')
      .select('appointment_id')
      .where('patient_id', '=', patient.patientId)
      .where('patient_present_at', 'is not', null)
      .executeTakeFirst();
    const [only, ...others] = (await findMatches(tx, companyId, patient)).filter(isSurely);
    // Two who fit are nobody in particular: staff decide. A device in a room is known by the patient's id.
    if (!only || others.length > 0 || present) return;
    await sql`select merge_patient(${patient.patientId}, ${only.patientId}, ${now})`.execute(tx);
    await audit(tx, {
      ...{ caller: null, actor: `P_${only.patientId}`, companyId, at: now, action: 'recognisePatient' },
      ...{ path: 'login', objects: { patientId: patient.patientId, intoId: only.patientId } },
      ...{ address: door.address, requestId: `recognise-${found.appointment_id}` },
    });
  });
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
