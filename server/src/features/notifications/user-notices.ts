import type { UserNotice } from '@roomside/contract/appointments/notification-kinds.ts';
import { addMinutes } from '@roomside/contract/time.ts';
import { type SqlBool, sql } from 'kysely';
import type { Context, Jobs } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type About, insertDropped, insertNotices } from './queue-notification.ts';
import { deliveryTexts } from './texts.ts';

/** The job that looks up the users to notify of an arrival: the patient's transaction may not read users. */
export const userNoticeQueue = 'user-notice';
export interface UserNoticeJob {
  companyId: number;
  appointmentId: number;
  kind: UserNotice;
  /** ISO; identifies the arrival. */
  dueAt: string;
}

/** Queues mails and texts to the users who are to be notified of this provider's arrivals. */
export async function queueUserNotices(
  context: Pick<Context, 'db'>,
  jobs: Jobs,
  job: UserNoticeJob,
  now: string,
): Promise<void> {
  const about: About = { ...job, now };
  await context.db.open({ kind: 'job', companyId: job.companyId }, async (tx) => {
    if (await wereEnough(tx, job, now)) return insertDropped(tx, about, deliveryTexts.enough);
    const users = await listRecipients(tx, job);
    const to = users.flatMap(({ user_id: userId, phone, notification_type: types }) => [
      ...(types & 1 ? [{ method: 'email' as const, patientId: null, userId }] : []),
      ...(types & 2 && phone ? [{ method: 'text' as const, patientId: null, userId }] : []),
    ]);
    if (to.length > 0) await insertNotices(tx, jobs, about, to);
    else await insertDropped(tx, about, deliveryTexts.noRecipients);
  });
}

/** The maximum of arrivals (or of nudges) of one appointment in an hour that users are notified of. The pages show all. */
const maxNoticesPerHour = 5;

/** Whether users were notified often enough of a patient who comes and goes, or whose connection does. */
async function wereEnough(tx: Tx, { appointmentId, kind, dueAt }: UserNoticeJob, now: string): Promise<boolean> {
  const { notices } = await tx
    .selectFrom('notification_logs')
    .select((eb) => eb.fn.count<string>('due_at').distinct().as('notices'))
    .where('appointment_id', '=', appointmentId)
    .where('kind', '=', kind)
    .where('to_user_id', 'is not', null)
    .where('due_at', '<>', dueAt)
    .where('created_at', '>', addMinutes(now, -60))
    .executeTakeFirstOrThrow();
  return Number(notices) >= maxNoticesPerHour;
}

/**
 * Returns the users whose settings include this provider's arrivals, and the provider if the company's settings say so;
 * without users who are already in the room.
 */
function listRecipients(tx: Tx, { companyId, appointmentId }: UserNoticeJob) {
  return tx
    .selectFrom('appointments as a')
    .innerJoin('companies as c', 'c.company_id', 'a.company_id')
    .innerJoin('users as u', 'u.company_id', 'a.company_id')
    .select(['u.user_id', 'u.phone', 'u.notification_type'])
    .where('a.company_id', '=', companyId)
    .where('a.appointment_id', '=', appointmentId)
    .where('u.disabled', '=', false)
    .where('u.notification_type', '>', 0)
    .where(sql<SqlBool>`((u.user_id = a.doctor_id and c.notify_providers) or exists (
      select 1 from user_notify_for f where f.company_id = a.company_id and f.user_id = u.user_id and f.doctor_id = a.doctor_id))`)
    .where(sql<SqlBool>`not exists (select 1 from peers p
      where p.appointment_id = a.appointment_id and p.user_id = u.user_id and p.left_at is null)`)
    .orderBy('u.user_id')
    .execute();
}
