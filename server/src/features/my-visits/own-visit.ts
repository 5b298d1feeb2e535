import { statusOf } from '@roomside/contract/appointments/status.ts';
import { normaliseUid } from '@roomside/contract/shape.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import type { PatientCaller } from '../../platform/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { appointmentRows, factsOf } from '../appointments/appointment-rows.ts';

/** Until when a patient may change a visit himself: the clinic's notice period before its start, ISO. */
export const changeUntil = (startsAt: string, noticeHours: number): string => addMinutes(startsAt, -60 * noticeHours);

/** One of the patient's own visits, locked, as the patient may still change it; refuses what is too late or over. */
export async function lockOwnVisit(tx: Tx, caller: PatientCaller, uid: string, version: number, now: string) {
  const { notice_hours } = await tx
    .selectFrom('companies')
    .select('notice_hours')
    .where('company_id', '=', caller.companyId)
    .executeTakeFirstOrThrow();
  const row = await appointmentRows(tx)
    .select(['a.version', 'a.calendar_sequence'])
    .where('a.appointment_uid', '=', normaliseUid(uid))
    .where('a.patient_id', '=', caller.patientId)
    .forNoKeyUpdate('a')
    .executeTakeFirst();
  if (!row) throw notFound();
  if (row.cancelled) throw new Refusal('appointment-cancelled');
  if (row.version !== version) throw new Refusal('stale', { current: { version: row.version } });
  const isOpen = statusOf(factsOf(row), now) === 'scheduled' && row.starts_at > now;
  if (!isOpen || now > changeUntil(row.starts_at, notice_hours)) throw new Refusal('too-late');
  return row;
}
