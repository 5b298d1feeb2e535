import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/**
 * Refuses an appointment of an unknown or archived patient.
 *
 * @param isNew locks the patient's row against archiving until the commit. Not for a caller that has locked one of the
 *   patient's appointments: merging patients locks in the opposite order, which would be a deadlock
 * @throws Refusal `not-found`, `patient-archived`
 */
export async function requirePatient(tx: Tx, patientId: number, { isNew = false } = {}): Promise<void> {
  const patient = await tx
    .selectFrom('patients')
    .select('archived_at')
    .where('patient_id', '=', patientId)
    .$if(isNew, (query) => query.forShare())
    .executeTakeFirst();
  requireActive(patient);
}

/** Refuses an unknown or archived patient. */
export function requireActive(patient: { archived_at: string | null } | undefined): void {
  if (!patient) throw notFound();
  if (patient.archived_at !== null) throw new Refusal('patient-archived');
}
