import { deletePatient as call } from '@roomside/contract/patients/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/** Archives: gone from lists, kept for the audit. Upcoming visits must be cancelled first, so that nobody is stood up. */
export const deletePatient = forStaff(call, async ({ caller, params, tx, now }) => {
  const { patientId } = params;
  const stored = await tx
    .selectFrom('patients')
    .select('patient_id')
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', patientId)
    .where('archived_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  // A statement of its own, after the lock: it sees what was booked while this waited.
  const expected = await tx
    .selectFrom('appointments')
    .select('appointment_id')
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', patientId)
    .where('archived_at', 'is', null)
    .where('cancelled', '=', false)
    .where('ends_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  if (expected) throw new Refusal('has-visits');
  await tx
    .updateTable('patients')
    .set({ archived_at: now })
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', patientId)
    .execute();
  return undefined;
});
