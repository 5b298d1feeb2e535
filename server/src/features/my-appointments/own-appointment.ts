import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import type { PatientCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { checkVersion, Refusal } from '../../platform/refusal.ts';
import { type LockedAppointment, lockAppointment } from '../appointments/lock-appointment.ts';

/** The last instant at which a patient may change an appointment (ISO): the clinic's notice period before its start. */
export const changeUntil = (startsAt: string, noticeHours: number): string => addMinutes(startsAt, -60 * noticeHours);

/**
 * Locks one of the patient's appointments.
 *
 * @throws Refusal `too-late` within the notice period or after an arrival; `appointment-cancelled`; `stale`; `not-found`
 */
export async function lockOwnAppointment(
  tx: Tx,
  { companyId, patientId }: PatientCaller,
  uid: string,
  version: number,
  now: string,
): Promise<LockedAppointment> {
  const { notice_hours: noticeHours } = await tx
    .selectFrom('companies')
    .select('notice_hours')
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow();
  const locked = await lockAppointment(tx, { uid: normalizeUid(uid), patientId }, now);
  const { cancelled, status, startsAt } = locked.state;
  if (cancelled) throw new Refusal('appointment-cancelled');
  checkVersion(locked, version);
  const isOpen = status === 'scheduled' && startsAt > now;
  if (!isOpen || now > changeUntil(startsAt, noticeHours)) throw new Refusal('too-late');
  return locked;
}
