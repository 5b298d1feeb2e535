import { deletePatient as call } from '@roomside/contract/patients/calls.ts';
import { recheckSignIns } from '../../platform/end-sign-ins.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { keepsPatient, requireNoVisit } from '../records/has-records.ts';
import { lockAppointmentsOf } from '../records/patient-rows.ts';

/** Archives a patient: hidden from lists, kept for the audit. Upcoming appointments must be cancelled and visits ended first. */
export const deletePatient = forStaff(call, async ({ context, caller, params, tx, now }) => {
  const { patientId } = params;
  const stored = await tx
    .selectFrom('patients')
    .select('patient_id')
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', patientId)
    .where('archived_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  await lockAppointmentsOf(tx, [patientId]);
  // Separate statements after the locks, so that they see what was booked and moved meanwhile.
  if (await keepsPatient(tx, patientId, now)) throw new Refusal('has-appointments');
  await requireNoVisit(tx, [patientId], now);
  await tx
    .updateTable('patients')
    .set({ archived_at: now })
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', patientId)
    .execute();
  recheckSignIns({ tx, context }, { patientId });
  return undefined;
});
