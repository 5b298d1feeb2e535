import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';

/** What a patient is told about an appointment. */
export type PatientNotice = 'invitation' | 'newTime' | 'cancelled' | 'reminder';

export interface PatientNotification {
  companyId: number;
  appointmentId: number;
  patientId: number;
  kind: PatientNotice;
  /** Who caused it; null = the system. */
  byUserId: number | null;
  now: string;
}

/** The same notice again within this is a double click, ms. The caller holds the appointment's row. */
const doubleClickMs = 5_000;

/** The job that sends one row of notification_logs: ids only, everything else is read when it runs. */
export const notificationQueue = 'notification';
export interface NotificationJob {
  companyId: number;
  notificationId: number;
}

/**
 * Queues a notice by mail and text to where the patient has an address for it; the sending itself is a durable job's.
 * Answers how many were queued: 0 when there is neither email nor phone.
 */
export async function queueNotification(tx: Tx, context: Context, notice: PatientNotification): Promise<number> {
  const patient = await tx
    .selectFrom('patients as p')
    .leftJoin('patient_phones as f', (join) => join.onRef('f.patient_id', '=', 'p.patient_id').on('f.position', '=', 0))
    .select(['p.email', 'f.phone'])
    .where('p.patient_id', '=', notice.patientId)
    .executeTakeFirstOrThrow();
  const methods = [...(patient.email ? ['email'] : []), ...(patient.phone ? ['text'] : [])];
  if (methods.length === 0) return 0;
  if (notice.kind === 'invitation' && (await wasJustQueued(tx, notice))) return methods.length;
  const rows = await tx
    .insertInto('notification_logs')
    .values(
      methods.map((method) => ({
        company_id: notice.companyId,
        appointment_id: notice.appointmentId,
        patient_id: notice.patientId,
        kind: notice.kind,
        method,
        due_at: notice.now,
        by_user_id: notice.byUserId,
        created_at: notice.now,
      })),
    )
    // The same notice for the same due time is one notice (a repeated job).
    .onConflict((conflict) => conflict.doNothing())
    .returning('notification_id')
    .execute();
  for (const { notification_id } of rows) {
    const job: NotificationJob = { companyId: notice.companyId, notificationId: notification_id };
    await context.jobs.send(tx, notificationQueue, job);
  }
  return methods.length;
}

/** A double click on 'send' is one invitation. Moves are not: each has another time to tell. */
async function wasJustQueued(tx: Tx, notice: PatientNotification): Promise<boolean> {
  const just = await tx
    .selectFrom('notification_logs')
    .select('notification_id')
    .where('appointment_id', '=', notice.appointmentId)
    .where('kind', '=', notice.kind)
    .where('created_at', '>', new Date(Date.parse(notice.now) - doubleClickMs).toISOString())
    .limit(1)
    .executeTakeFirst();
  return just !== undefined;
}
