import { mayInvite } from '@roomside/contract/appointments/over.ts';
import { statusOf } from '@roomside/contract/appointments/status.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { appointmentRows, factsOf } from './appointment-rows.ts';
import { requirePatient } from './require-patient.ts';

/**
 * The appointment to invite to, locked. Refuses one that is cancelled or over (`mayInvite`), and one whose patient has
 * been archived.
 */
export async function lockInvitable(tx: Tx, appointmentId: number, now: string) {
  const row = await appointmentRows(tx)
    .select('a.planned_start')
    .where('a.appointment_id', '=', appointmentId)
    .forNoKeyUpdate('a')
    .executeTakeFirst();
  if (!row) throw notFound();
  if (row.cancelled) throw new Refusal('appointment-cancelled');
  if (!mayInvite({ status: statusOf(factsOf(row), now), endDate: row.ends_at }, now)) throw new Refusal('visit-over');
  await requirePatient(tx, row.patient_id);
  return row;
}

/** Queues the invitation; answers how many messages, 0 when the patient has neither email nor phone. */
export function queueInvitation(
  tx: Tx,
  context: Context,
  caller: StaffCaller,
  visit: { appointment_id: number; patient_id: number },
  now: string,
): Promise<number> {
  return queueNotification(tx, context, {
    companyId: caller.companyId,
    appointmentId: visit.appointment_id,
    patientId: visit.patient_id,
    kind: 'invitation',
    byUserId: caller.userId,
    now,
  });
}
