import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { type ArrivalScope, arrivedVisits } from './arrived-rows.ts';

/** Visits whose patient is in the room without a provider. */
export const waitingVisits = (tx: Tx, scope: ArrivalScope) =>
  arrivedVisits(tx, scope).where('v.provider_present_at', 'is', null);

/**
 * Finds the appointment of a waiting patient and locks it and its visit, in the order of all changes of an appointment.
 *
 * @throws Refusal `not-found`; `not-waiting` when the patient is not in the room, or a provider is
 */
export async function lockWaiting(tx: Tx, caller: StaffCaller, uid: string) {
  const row = await tx
    .selectFrom('appointments as a')
    .select(['a.appointment_id', 'a.appointment_uid', 'a.doctor_id', 'a.patient_id'])
    .where('a.appointment_uid', '=', normalizeUid(uid))
    .where('a.company_id', '=', caller.companyId)
    .where('a.archived_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw notFound();
  const waiting = await waitingVisits(tx, { companyId: caller.companyId })
    .select('v.appointment_id')
    .where('v.appointment_id', '=', row.appointment_id)
    .forUpdate()
    .executeTakeFirst();
  if (!waiting) throw new Refusal('not-waiting');
  return row;
}
