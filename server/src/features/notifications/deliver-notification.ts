import type { NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import { audit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { JobAttempt } from '../../platform/jobs.ts';
import { type AppointmentDetails, readAppointment } from './appointment-details.ts';
import { DeliveryError, type Message, sendMessage, type Transports } from './delivery.ts';
import { judgeNotification, type QueuedNotification } from './judge.ts';
import { patientMail, patientText } from './patient-message.ts';
import type { NotificationJob } from './queue-notification.ts';
import { deliveryTexts } from './texts.ts';
import { type Recipient, userMail, userText } from './user-message.ts';

/** What jobs have of the context: they are started before the rest of it. */
export type JobContext = Omit<Context, 'jobs' | 'refusalReaders' | 'skipChecks'>;

/** A worker that has not renewed its lease for this long has died, ms; it renews three times as often. */
const leaseMs = 12_000;

/**
 * Sends one row of notification_logs and marks it 'sent', or 'failed' with the reason. A row that is not 'queued' any
 * more is left alone, so that a job which runs again sends nothing again. Should the server die between the other side's
 * yes and the mark, the message goes out once more: better twice than never, and mail repeats its Message-ID.
 *
 * Three steps, so that no transaction waits for a mail server: lease the row and make the message, send, mark.
 */
export async function deliverNotification(
  context: JobContext,
  transports: Transports,
  job: NotificationJob,
  attempt: JobAttempt,
): Promise<void> {
  const { companyId, notificationId } = job;
  const inCompany = <T>(work: (tx: Tx) => Promise<T>) => context.db.open({ kind: 'job', companyId }, work);
  try {
    const leased = await inCompany((tx) => leaseAndMake(tx, context, notificationId));
    if (!leased) return;
    const stopRenewing = context.clock.every(leaseMs / 3, () => {
      // One that fails is made up for by the next.
      inCompany((tx) => lease(tx, context, notificationId)).catch(() => {});
    });
    try {
      await sendMessage(transports, leased.message, isoNow(context.clock));
    } finally {
      stopRenewing();
    }
    await inCompany((tx) => markSent(context, tx, notificationId, leased.patientId));
  } catch (error) {
    if (error instanceof Busy) throw error;
    const known = error instanceof DeliveryError ? error : null;
    const isOver = attempt.last || known?.permanent === true;
    const reason = known?.message ?? deliveryTexts.failed;
    await inCompany((tx) => mark(tx, notificationId, { error: reason, ...(isOver && { state: 'failed' }) }));
    if (!known?.permanent) throw error;
    context.log.warn({ notificationId, reason: known.message }, 'a message was not sent');
  }
}

class Busy extends Error {
  override name = 'Busy';
}

/**
 * Leases the row for this worker and makes its message; null when there is nothing to send.
 *
 * @throws Busy while another worker has it
 */
async function leaseAndMake(
  tx: Tx,
  context: JobContext,
  notificationId: number,
): Promise<{ message: Message; patientId: number } | null> {
  const now = isoNow(context.clock);
  const notice = await tx
    .selectFrom('notification_logs')
    .select([
      'notification_id',
      'appointment_id',
      'patient_id',
      'to_user_id',
      'kind',
      'method',
      'due_at',
      'created_at',
      'claimed_until',
    ])
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .where('held_until', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!notice) return null;
  if (notice.claimed_until !== null && notice.claimed_until > now) throw new Busy(deliveryTexts.busy);
  const deleted = notice.kind === 'cancelled';
  const sent = notice.method as 'email' | 'text';
  const visit =
    notice.appointment_id === null
      ? null
      : await readAppointment(tx, context, { id: notice.appointment_id }, { deleted, sent });
  if (!visit) throw new DeliveryError(deliveryTexts.gone, true);
  const verdict = judgeNotification(queuedOf(notice), visit, await isSuperseded(tx, notice), now);
  if (verdict.is === 'failed') throw new DeliveryError(verdict.reason, true);
  if (verdict.is === 'dropped') {
    await mark(tx, notificationId, { state: 'dropped', error: verdict.reason });
    return null;
  }
  const made = await createMessage(context, tx, notice, visit);
  await lease(tx, context, notificationId);
  return made;
}

async function lease(tx: Tx, { clock }: JobContext, notificationId: number): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set({ claimed_until: new Date(clock.now() + leaseMs).toISOString() })
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .execute();
}

interface Notice {
  readonly notification_id: number;
  readonly appointment_id: number | null;
  readonly patient_id: number | null;
  readonly to_user_id: number | null;
  readonly kind: string;
  readonly method: string;
  readonly due_at: string;
  readonly created_at: string;
}

const queuedOf = (notice: Notice): QueuedNotification => ({
  kind: notice.kind as NotificationKind,
  patientId: notice.patient_id,
  dueAt: notice.due_at,
  createdAt: notice.created_at,
});

/** Whether a later move, cancellation or invitation waits to leave by the same method: it says how things stand. */
async function isSuperseded(tx: Tx, { notification_id, appointment_id, method }: Notice): Promise<boolean> {
  const later = await tx
    .selectFrom('notification_logs')
    .select('notification_id')
    .where('appointment_id', '=', appointment_id)
    .where('to_user_id', 'is', null)
    .where('kind', 'in', ['newTime', 'cancelled', 'invitation'])
    .where('method', '=', method)
    .where('state', '=', 'queued')
    // One that waits for its Undo may never be sent.
    .where('held_until', 'is', null)
    .where('notification_id', '>', notification_id)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

async function createMessage(
  context: JobContext,
  tx: Tx,
  notice: Notice,
  visit: AppointmentDetails,
): Promise<{ message: Message; patientId: number }> {
  const kind = notice.kind as NotificationKind;
  const id = `notification-${notice.notification_id}`;
  const { patientId } = visit;
  if (kind === 'arrival' || kind === 'nudge') {
    const user = await readRecipient(tx, notice.to_user_id);
    if (notice.method === 'email')
      return { patientId, message: { method: 'email', mail: userMail(context, kind, visit, user, id) } };
    if (!user.phone) throw new DeliveryError(deliveryTexts.noUserPhone, true);
    return { patientId, message: { method: 'text', text: userText(context, kind, visit, user) } };
  }
  if (notice.method === 'email') {
    if (!visit.patient.email) throw new DeliveryError(deliveryTexts.noEmail, true);
    const mail = patientMail(context, kind, visit, id, isoNow(context.clock));
    return { patientId, message: { method: 'email', mail } };
  }
  if (!visit.patient.phone) throw new DeliveryError(deliveryTexts.noPhone, true);
  return { patientId, message: { method: 'text', text: patientText(kind, visit) } };
}

async function readRecipient(tx: Tx, userId: number | null): Promise<Recipient> {
  const user = await tx
    .selectFrom('users')
    .select(['first_name', 'last_name', 'email', 'phone'])
    .where('user_id', '=', userId)
    .where('disabled', '=', false)
    .executeTakeFirst();
  if (!user) throw new DeliveryError(deliveryTexts.userGone, true);
  return { firstName: user.first_name, lastName: user.last_name, email: user.email, phone: user.phone };
}

async function markSent(context: JobContext, tx: Tx, notificationId: number, patientId: number): Promise<void> {
  const now = isoNow(context.clock);
  const { company_id, appointment_id } = await tx
    .updateTable('notification_logs')
    .set({ state: 'sent', sent_at: now, error: '', claimed_until: null })
    .where('notification_id', '=', notificationId)
    .returning(['company_id', 'appointment_id'])
    .executeTakeFirstOrThrow();
  audit(tx, {
    caller: null,
    companyId: company_id,
    at: now,
    action: 'deliverNotification',
    path: 'job/notification',
    objects: {
      notificationId,
      ...(appointment_id !== null && { appointmentId: appointment_id }),
      patientId,
    },
    address: '',
    requestId: `notification-${notificationId}`,
  });
}

/** Writes down what became of a message that waits; one that is done is left alone. */
async function mark(
  tx: Tx,
  notificationId: number,
  what: { error: string; state?: 'failed' | 'dropped' },
): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set({ ...what, claimed_until: null })
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .execute();
}
