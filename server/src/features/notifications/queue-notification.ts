import type { PatientNotice, UserNotice } from '@roomside/contract/appointments/notification-kinds.ts';
import { sql } from 'kysely';
import type { Context, Jobs } from '../../platform/context.ts';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { takeTrialMessages } from '../../platform/trials.ts';
import { heldDropped } from './held.ts';
import type { Place } from './known-place.ts';
import { deliveryTexts } from './texts.ts';

export interface PatientNotification {
  companyId: number;
  appointmentId: number;
  patientId: number;
  kind: PatientNotice;
  /** The user who caused it; null = the system or the patient. */
  byUserId: number | null;
  now: string;
  /** It says something else than one of a moment ago, so that it is no double click: the appointment or the contact differs. */
  differs?: boolean;
  /** Identifies a notification that is computed repeatedly (a reminder), ISO; default: now. */
  dueAt?: string;
  /** Of what the patient did on a page, such as a move or a payment: the start and provider that it shows. */
  shown?: Place;
  /** The message is held until then, ISO. */
  heldUntil?: string;
}

/** A second invitation that says the same within this time is a double click, ms. The caller has locked the appointment's row. */
export const doubleClickMs = 5_000;

/** The job that sends one row of notification_logs. It contains only ids; the rest is read when it runs. */
export const notificationQueue = 'notification';
export interface NotificationJob {
  companyId: number;
  notificationId: number;
}

/** 'noContact': the patient has neither email nor phone. 'trialLimit': the company's trial permits no more messages today. */
export type Queued = 'queued' | 'noContact' | 'trialLimit';

/**
 * Queues a notification by mail and by text message, as far as the patient has an email and a phone; durable jobs send them.
 *
 * @throws Refusal `trial-messages` for an invitation by a user that the trial does not permit
 */
export async function queueNotification(
  tx: Tx,
  context: Pick<Context, 'jobs'>,
  notice: PatientNotification,
): Promise<Queued> {
  const patient = await tx
    .selectFrom('patients as p')
    .leftJoin('patient_phones as f', (join) => join.onRef('f.patient_id', '=', 'p.patient_id').on('f.position', '=', 0))
    .select(['p.email', 'f.phone'])
    .where('p.patient_id', '=', notice.patientId)
    .executeTakeFirstOrThrow();
  const methods = [...(patient.email ? ['email' as const] : []), ...(patient.phone ? ['text' as const] : [])];
  const mayRepeat = notice.kind === 'invitation' && !notice.differs && methods.length > 0;
  if (mayRepeat && (await wasJustQueued(tx, notice))) return 'queued';
  const { companyId, appointmentId, patientId, kind, now } = notice;
  // An invitation contains the current time, so a held message about a new time is not needed.
  if (kind === 'invitation') await inOneTrip(tx, heldDropped({ appointmentId }));
  const about = { companyId, appointmentId, kind, now, dueAt: notice.dueAt ?? now };
  if (methods.length === 0) {
    // Without a row, a notification that is computed repeatedly would be due again at every check, and the patient's own change is forgotten.
    if (notice.dueAt !== undefined || notice.shown) await insertDropped(tx, about, deliveryTexts.noContact, notice);
    return 'noContact';
  }
  const to = methods.map((method) => ({ method, patientId, userId: null }));
  if (await insertNotices(tx, context.jobs, about, to, notice)) return 'queued';
  if (kind === 'invitation' && notice.byUserId !== null) throw new Refusal('trial-messages');
  return 'trialLimit';
}

/** A notification; appointment, kind and `dueAt` identify it. */
export interface About {
  readonly companyId: number;
  readonly appointmentId: number;
  readonly kind: PatientNotice | UserNotice;
  readonly dueAt: string;
  readonly now: string;
}

interface To {
  readonly method: 'email' | 'text';
  readonly patientId: number | null;
  readonly userId: number | null;
}

/**
 * Inserts the rows of a notification and their jobs in one transaction. An existing row is not inserted again. False: the company's trial permits
 * no more messages today, and the rows say that they were not sent.
 */
export async function insertNotices(
  tx: Tx,
  jobs: Jobs,
  about: About,
  to: readonly To[],
  { byUserId, shown, heldUntil }: Pick<PatientNotification, 'byUserId' | 'shown' | 'heldUntil'> = { byUserId: null },
): Promise<boolean> {
  const { companyId, appointmentId, kind, dueAt, now } = about;
  const isPermitted = await takeTrialMessages(tx, companyId, to.length, now);
  const rows = await tx
    .insertInto('notification_logs')
    .values(
      to.map(({ method, patientId, userId }) => ({
        company_id: companyId,
        appointment_id: appointmentId,
        patient_id: patientId,
        to_user_id: userId,
        kind,
        method,
        due_at: dueAt,
        by_user_id: byUserId,
        created_at: now,
        ...(!isPermitted && { state: 'failed' as const, error: deliveryTexts.trialMessages }),
        ...(shown && namedColumns(shown, appointmentId, now)),
        ...(isPermitted && heldUntil !== undefined && { held_until: heldUntil }),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('notification_id')
    .execute();
  // releaseHeld creates the job of a held message when it is due.
  if (heldUntil !== undefined || !isPermitted) return isPermitted;
  for (const { notification_id } of rows) {
    const job: NotificationJob = { companyId, notificationId: notification_id };
    await jobs.send(tx, notificationQueue, job);
  }
  return true;
}

/**
 * The columns for the start and provider that a message names. The caller has locked the appointment: their times are in the order of the locks,
 * whatever the clocks say.
 */
export const namedColumns = ({ startsAt, doctorId }: Place, appointmentId: number, now: string) => ({
  named_at: sql<string>`greatest(${now}::timestamptz, (select max(m.named_at) + interval '1 millisecond' from notification_logs m
    where m.appointment_id = ${appointmentId}))`,
  named_starts_at: startsAt,
  named_doctor_id: doctorId,
});

/** Inserts a dropped row: the notification had no recipient. */
export async function insertDropped(
  tx: Tx,
  about: About,
  reason: string,
  { patientId, shown }: Partial<Pick<PatientNotification, 'patientId' | 'shown'>> = {},
): Promise<void> {
  await tx
    .insertInto('notification_logs')
    .values({
      company_id: about.companyId,
      appointment_id: about.appointmentId,
      kind: about.kind,
      method: 'email',
      due_at: about.dueAt,
      created_at: about.now,
      state: 'dropped',
      error: reason,
      ...(patientId !== undefined && { patient_id: patientId }),
      ...(shown && namedColumns(shown, about.appointmentId, about.now)),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether the last message to the patient is of the same kind and was queued a moment ago (a double click). */
async function wasJustQueued(tx: Tx, notice: PatientNotification): Promise<boolean> {
  const last = await tx
    .selectFrom('notification_logs')
    .select(['kind', 'created_at'])
    .where('appointment_id', '=', notice.appointmentId)
    .where('patient_id', 'is not', null)
    .orderBy('notification_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.kind === notice.kind && Date.parse(notice.now) - Date.parse(last.created_at) < doubleClickMs;
}
