import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';

/** Visits with the patient in the room that this member of staff hears of: a doctor his own, A and U all (CALL-9). */
export function arrivedVisits(tx: Tx, caller: StaffCaller) {
  const all = tx
    .selectFrom('visits as v')
    .where('v.company_id', '=', caller.companyId)
    .where('v.patient_present_at', 'is not', null);
  return caller.role === 'D' ? all.where('v.doctor_id', '=', caller.userId) : all;
}
