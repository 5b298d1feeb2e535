import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/** A live visit needs a patient who can come: nobody archives him before this is committed. */
export async function requirePatient(tx: Tx, patientId: number): Promise<void> {
  const patient = await tx
    .selectFrom('patients')
    .select('archived_at')
    .where('patient_id', '=', patientId)
    .forShare()
    .executeTakeFirst();
  if (!patient) throw notFound();
  if (patient.archived_at !== null) throw new Refusal('patient-archived');
}
