import { type ArrivalInfo, messageType, type PushedMessage, type Sender } from '@roomside/contract/room/messages.ts';
import type { Context } from '../../platform/context.ts';
import type { AfterCommit, Tx } from '../../platform/database/database.ts';
import { type UserNoticeJob, userNoticeQueue } from './user-notices.ts';

/** Returns the patient as the sender of messages about them. */
export function patientSender(patientId: number, patient: { firstName: string; lastName: string }): Sender {
  return { peerId: '', roleId: 'P', userId: null, patientId, ...patient };
}

/** Reads the details of an arrival that staff outside the room see. */
export async function arrivalInfo(tx: Tx, appointmentId: number): Promise<ArrivalInfo & { patientId: number }> {
  const row = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .innerJoin('users as d', 'd.user_id', 'a.doctor_id')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select([
      'a.appointment_id',
      'a.appointment_uid',
      'a.doctor_id',
      'a.patient_id',
      'a.starts_at',
      'p.first_name',
      'p.last_name',
      'd.first_name as doctor_first',
      'd.last_name as doctor_last',
      'v.no_camera',
    ])
    .where('a.appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  return {
    appointmentId: row.appointment_id,
    appointmentUid: row.appointment_uid,
    doctorId: row.doctor_id,
    patientId: row.patient_id,
    patient: { firstName: row.first_name, lastName: row.last_name },
    doctor: { firstName: row.doctor_first, lastName: row.doctor_last },
    startDate: row.starts_at,
    noCamera: row.no_camera ?? false,
  };
}

interface Arrival {
  readonly companyId: number;
  readonly appointmentId: number;
  readonly noCamera: boolean;
  /** ISO. */
  readonly now: string;
}

/**
 * Notifies staff of an arrival, once per arrival: on type 4, or 20 s after the patient's arrival without one ('no camera').
 */
export async function markArrived(
  tx: Tx,
  afterCommit: AfterCommit,
  context: Pick<Context, 'jobs' | 'push'>,
  { companyId, appointmentId, noCamera, now }: Arrival,
): Promise<void> {
  const announced = await tx
    .updateTable('visits')
    .set({ announced_at: now, no_camera: noCamera })
    .where('appointment_id', '=', appointmentId)
    .where('patient_present_at', 'is not', null)
    .where('announced_at', 'is', null)
    .returning('appointment_id')
    .executeTakeFirst();
  if (announced) await notifyStaff(tx, afterCommit, context, { companyId, appointmentId, now });
}

/**
 * Notifies the staff of another provider of a patient who waits already, like of an arrival. One who has not been announced will be. The
 * time until the users are reminded of the patient begins again.
 */
export async function announceAgain(
  tx: Tx,
  afterCommit: AfterCommit,
  context: Pick<Context, 'jobs' | 'push'>,
  arrival: Omit<Arrival, 'noCamera'>,
): Promise<void> {
  const announced = await tx
    .updateTable('visits')
    .set({ announced_at: arrival.now })
    .where('appointment_id', '=', arrival.appointmentId)
    .where('patient_present_at', 'is not', null)
    .where('provider_present_at', 'is', null)
    .where('announced_at', 'is not', null)
    .returning('appointment_id')
    .executeTakeFirst();
  if (announced) await notifyStaff(tx, afterCommit, context, arrival);
}

/** Queues the notices to the users of the visit's provider, and pushes the arrival to the pages of the staff. */
async function notifyStaff(
  tx: Tx,
  afterCommit: AfterCommit,
  context: Pick<Context, 'jobs' | 'push'>,
  { companyId, appointmentId, now }: Omit<Arrival, 'noCamera'>,
): Promise<void> {
  const job: UserNoticeJob = { companyId, appointmentId, kind: 'arrival', dueAt: now };
  await context.jobs.send(tx, userNoticeQueue, job);
  const { patientId, ...appointment } = await arrivalInfo(tx, appointmentId);
  const message: PushedMessage = { type: messageType.patientArrived, session: appointment.appointmentUid, appointment };
  afterCommit(() =>
    context.push.staffOf(companyId, appointment.doctorId, message, patientSender(patientId, appointment.patient)),
  );
}
