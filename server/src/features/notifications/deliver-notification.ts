import type { NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import { audit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import type { JobAttempt } from '../../platform/jobs.ts';
import { type AppointmentDetails, readAppointment } from './appointment-details.ts';
import { DeliveryError, type Message, sendMessage, type Transports } from './delivery.ts';
import { judgeNotification, type QueuedNotification } from './judge.ts';
import { dependsOnDelivery, knownBefore, knownWhenCancelled, type Place, patientMessages } from './known-place.ts';
import { patientMail, patientText } from './patient-message.ts';
import type { NotificationJob } from './queue-notification.ts';
import { deliveryTexts } from './texts.ts';
import { type Recipient, userMail, userText } from './user-message.ts';

/** The part of the context that exists when the jobs start. */
export type JobContext = Omit<Context, 'jobs' | 'refusalReaders' | 'skipChecks'>;

/** Another worker may take the row when its lease was not renewed for this long, ms. It is renewed every third of it. */
const leaseMs = 12_000;

/**
 * Sends one row of notification_logs and marks it 'sent', or 'failed' with the reason. A row that is no longer 'queued'
 * is skipped, so that a repeated job does not send again. After a crash between the transport's acceptance and the mark,
 * the message is sent a second time, mail with the same Message-ID.
 *
 * There are three steps, so that no transaction waits for a mail server: lease the row and create the message, send, mark.
 *
 * @throws Busy while another worker has the lease or sends an earlier message; any other error when the job has to retry
 */
export async function deliverNotification(
  context: JobContext,
  transports: Transports,
  job: NotificationJob,
  attempt: Pick<JobAttempt, 'last'>,
): Promise<void> {
  const { companyId, notificationId } = job;
  const inCompany = <T>(work: (tx: Tx) => Promise<T>) => context.db.open({ kind: 'job', companyId }, work);
  try {
    const leased = await inCompany((tx) => leaseAndCreate(tx, context, notificationId));
    if (!leased) return;
    const stopRenewing = context.clock.every(leaseMs / 3, () => {
      // A failed renewal is repeated by the next one before the lease ends.
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
    const isFinal = attempt.last || known?.permanent === true;
    const reason = known?.message ?? deliveryTexts.failed;
    await inCompany(async (tx) => {
      await mark(tx, notificationId, { error: reason, ...(isFinal && { state: 'failed' }) });
      if (known?.permanent && known.fault === 'address') await storeRefusal(tx, notificationId);
    });
    if (!known?.permanent) throw error;
    context.log.warn({ notificationId, reason: known.message }, 'a message was not sent');
  }
}

class Busy extends Error {
  override name = 'Busy';
}

/**
 * Leases the row for this worker and returns its message, or null when there is nothing to send.
 *
 * @throws Busy while another worker has the lease, or sends an earlier message that decides what the patient knows
 * @throws DeliveryError when the message can never be sent
 */
async function leaseAndCreate(
  tx: Tx,
  context: JobContext,
  notificationId: number,
): Promise<{ message: Message; patientId: number } | null> {
  const now = isoNow(context.clock);
  const row = await tx
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
      'by_user_id',
      'claimed_until',
      'error',
      'known_starts_at',
      'known_doctor_id',
    ])
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .where('held_until', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return null;
  if (row.claimed_until !== null && row.claimed_until > now) throw new Busy(deliveryTexts.busy);
  const { appointment_id: appointmentId } = row;
  const [messages] = await inOneTrip(tx, patientMessages({ appointmentId }));
  const appointment =
    appointmentId === null
      ? null
      : await readAppointment(
          tx,
          context,
          { id: appointmentId },
          {
            deleted: row.kind === 'cancelled',
            sent: row.method as 'email' | 'text',
            cancelledAs: knownWhenCancelled(messages, now),
            at: row.created_at,
          },
        );
  if (!appointment) throw new DeliveryError(deliveryTexts.deleted, true);
  const message = { ...row, kind: row.kind as NotificationKind };
  if (dependsOnDelivery(messages, message, now)) throw new Busy(deliveryTexts.earlierBusy);
  const known = knownBefore(messages, message, now);
  const hasReachedPatient = messages.some(({ state }) => state === 'sent');
  const queued = toQueued(row, row.kind === 'newTime' && hasReachedPatient ? known : null);
  const verdict = judgeNotification(queued, appointment, await isObsolete(tx, row), now);
  if (verdict.is === 'failed') throw new DeliveryError(verdict.reason, true);
  if (verdict.is === 'dropped') {
    // It was needed, and an outage has prevented it: staff see the reason.
    if (verdict.reason === deliveryTexts.past && row.error !== '') throw new DeliveryError(row.error, true);
    await mark(tx, notificationId, { state: 'dropped', error: verdict.reason });
    return null;
  }
  const created = await createMessage(context, tx, row, appointment, known);
  await lease(tx, context, notificationId);
  return created;
}

async function lease(tx: Tx, { clock }: JobContext, notificationId: number): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set({ claimed_until: new Date(clock.now() + leaseMs).toISOString() })
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .execute();
}

interface NotificationRow {
  readonly notification_id: number;
  readonly appointment_id: number | null;
  readonly patient_id: number | null;
  readonly to_user_id: number | null;
  readonly kind: string;
  readonly method: string;
  readonly due_at: string;
  readonly created_at: string;
  readonly by_user_id: number | null;
  readonly known_starts_at: string | null;
  readonly known_doctor_id: number | null;
}

const toQueued = (row: NotificationRow, known: Place | null): QueuedNotification => ({
  kind: row.kind as NotificationKind,
  patientId: row.patient_id,
  dueAt: row.due_at,
  createdAt: row.created_at,
  known,
});

/**
 * Whether a later message about a move, a cancellation or an invitation is queued or was sent by the same method; of a cancellation, whether another
 * one; of a nudge, whether its patient no longer waits without a provider.
 */
async function isObsolete(tx: Tx, row: NotificationRow): Promise<boolean> {
  const { notification_id, appointment_id, method, kind } = row;
  if (kind === 'nudge') return !(await waitsAlone(tx, appointment_id));
  if (kind === 'arrival') return false;
  const later = await tx
    .selectFrom('notification_logs')
    .select('notification_id')
    .where('appointment_id', '=', appointment_id)
    .where('to_user_id', 'is', null)
    .where('kind', 'in', kind === 'cancelled' ? ['cancelled'] : ['newTime', 'cancelled', 'invitation'])
    .where('method', '=', method)
    .where('state', 'in', ['queued', 'sent'])
    // A held message may never be sent.
    .where('held_until', 'is', null)
    .where('notification_id', '>', notification_id)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

/** Whether the patient of an appointment is in the room without a provider. */
async function waitsAlone(tx: Tx, appointmentId: number | null): Promise<boolean> {
  const visit = await tx
    .selectFrom('visits')
    .select('appointment_id')
    .where('appointment_id', '=', appointmentId)
    .where('patient_present_at', 'is not', null)
    .where('provider_present_at', 'is', null)
    .executeTakeFirst();
  return visit !== undefined;
}

async function createMessage(
  context: JobContext,
  tx: Tx,
  row: NotificationRow,
  appointment: AppointmentDetails,
  known: Place | null,
): Promise<{ message: Message; patientId: number }> {
  const kind = row.kind as NotificationKind;
  const id = `notification-${row.notification_id}`;
  const { patientId } = appointment;
  if (kind === 'arrival' || kind === 'nudge') {
    const user = await readRecipient(tx, row.to_user_id);
    if (row.method === 'email')
      return { patientId, message: { method: 'email', mail: userMail(kind, appointment, user, id) } };
    if (!user.phone) throw new DeliveryError(deliveryTexts.noUserPhone, true);
    return { patientId, message: { method: 'text', text: userText(kind, appointment, user) } };
  }
  if (row.method === 'email') {
    if (!appointment.patient.email) throw new DeliveryError(deliveryTexts.noEmail, true);
    const mail = patientMail(context, kind, appointment, known, id, isoNow(context.clock));
    return { patientId, message: { method: 'email', mail } };
  }
  if (!appointment.patient.phone) throw new DeliveryError(deliveryTexts.noPhone, true);
  return { patientId, message: { method: 'text', text: patientText(kind, appointment, known) } };
}

async function readRecipient(tx: Tx, userId: number | null): Promise<Recipient> {
  const user = await tx
    .selectFrom('users')
    .select(['first_name', 'last_name', 'email', 'phone'])
    .where('user_id', '=', userId)
    .where('disabled', '=', false)
    .executeTakeFirst();
  if (!user) throw new DeliveryError(deliveryTexts.userDisabled, true);
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

/** Stores that the patient's address was refused: the patient has no contact until it is changed (features/numbers). */
async function storeRefusal(tx: Tx, notificationId: number): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set((eb) => ({
      refused_version: eb
        .selectFrom('patients as p')
        .select('p.version')
        .whereRef('p.company_id', '=', 'notification_logs.company_id')
        .whereRef('p.patient_id', '=', 'notification_logs.patient_id'),
    }))
    .where('notification_id', '=', notificationId)
    .where('to_user_id', 'is', null)
    .execute();
}

/** Stores the result of a queued message; a message in another state is not changed. */
async function mark(
  tx: Tx,
  notificationId: number,
  result: { error: string; state?: 'failed' | 'dropped' },
): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set({ ...result, claimed_until: null })
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .execute();
}
