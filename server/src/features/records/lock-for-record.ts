import type { Tx } from '../../platform/database/database.ts';
import { notFound } from '../../platform/refusal.ts';

/**
 * Locks an appointment for a new record of it, such as a file: its patient is neither changed nor erased until the transaction ends. Returns
 * its ids.
 *
 * @throws Refusal `not-found` for an unknown, archived or foreign appointment, or when the patient's data was erased
 */
export async function lockForRecord(
  tx: Tx,
  key: { readonly appointment_id: number } | { readonly appointment_uid: string },
): Promise<{ appointmentId: number; patientId: number }> {
  const row = await tx
    .selectFrom('appointments')
    .select(['appointment_id as appointmentId', 'patient_id as patientId'])
    .where((eb) => eb.and(key))
    .where('archived_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  if (!row) throw notFound();
  // A separate statement: one that waits does not see what it waited for.
  const erased = await tx
    .selectFrom('patients')
    .select('patient_id')
    .where('patient_id', '=', row.patientId)
    .where('erased_at', 'is not', null)
    .executeTakeFirst();
  if (erased) throw notFound();
  return row;
}
