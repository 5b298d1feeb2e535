import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';

/** Whose visits a member of staff hears of; without `doctorId` the company's. */
export interface Heard {
  readonly companyId: number;
  readonly doctorId?: number;
}

/** A doctor hears of his own visits, A and U of all (CALL-9). */
export const heardBy = ({ companyId, role, userId }: StaffCaller): Heard =>
  role === 'D' ? { companyId, doctorId: userId } : { companyId };

/** Visits with the patient in the room. */
export function arrivedVisits(tx: Tx, { companyId, doctorId }: Heard) {
  const all = tx
    .selectFrom('visits as v')
    .where('v.company_id', '=', companyId)
    .where('v.patient_present_at', 'is not', null);
  return doctorId === undefined ? all : all.where('v.doctor_id', '=', doctorId);
}
