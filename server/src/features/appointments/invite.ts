import type { StaffCaller } from '../../platform/caller.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { requirePatient } from './require-patient.ts';

/** The appointment to invite to, locked; refuses a cancelled one, and one whose patient has been archived. */
export async function lockInvitable(tx: Tx, appointmentId: number) {
  const row = await tx
    .selectFrom('appointments')
    .select(['appointment_id', 'appointment_uid', 'patient_id', 'cancelled', 'starts_at', 'ends_at', 'planned_start'])
    .where('appointment_id', '=', appointmentId)
    .where('archived_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) throw notFound();
  if (row.cancelled) throw new Refusal('appointment-cancelled');
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
