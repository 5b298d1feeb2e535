import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/**
 * A live visit needs a patient who can come. `isNew`: nobody archives him before this is committed. Whoever has locked one of his
 * appointments must not wait for him, too: who joins two patients locks them the other way round.
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

/** Refuses a patient who is not there or is archived. */
export function requireActive(patient: { archived_at: string | null } | undefined): void {
  if (!patient) throw notFound();
  if (patient.archived_at !== null) throw new Refusal('patient-archived');
}
