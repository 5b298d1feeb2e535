import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';

/** Visits whose arrivals a user is shown: of one provider, or without `doctorId` of the whole company. */
export interface ArrivalScope {
  readonly companyId: number;
  readonly doctorId?: number;
}

/** Providers are shown their own visits, A and U all of the company (CALL-9). */
export const arrivalScopeOf = ({ companyId, role, userId }: StaffCaller): ArrivalScope =>
  role === 'D' ? { companyId, doctorId: userId } : { companyId };

/** Visits whose patient is in the room. */
export function arrivedVisits(tx: Tx, { companyId, doctorId }: ArrivalScope) {
  const all = tx
    .selectFrom('visits as v')
    .where('v.company_id', '=', companyId)
    .where('v.patient_present_at', 'is not', null);
  return doctorId === undefined ? all : all.where('v.doctor_id', '=', doctorId);
}
