import type { NotificationKind } from '@roomside/contract/appointments/notification-kinds.ts';
import { audit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { inOneTrip, type Tx } from '../../platform/database/database.ts';
import type { JobAttempt } from '../../platform/jobs.ts';
import { type AppointmentDetails, readAppointment } from './appointment-details.ts';
import { DeliveryError, type Message, sendMessage, type Transports } from './delivery.ts';
import { judgeNotification } from './judge.ts';
import {
  isCancelledAgain,
  isOverAt,
  isOwnChange,
  isSameNotification,
  isSuperseded,
  type Known,
  knownFrom,
  lastNamed,
  type PatientMessage,
  type Place,
  patientMessages,
  placeKnown,
} from './known-place.ts';
import { patientMail, patientText } from './patient-message.ts';
import { type NotificationJob, namedColumns } from './queue-notification.ts';
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
  let isFirstNaming = false;
  try {
    const leased = await inCompany((tx) => leaseAndCreate(tx, context, notificationId));
    if (!leased) return;
    ({ isFirstNaming } = leased);
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
    // What an earlier attempt named may have arrived, too.
    const isUnsaid = isFirstNaming && known !== null && !known.isUncertain;
    await inCompany(async (tx) => {
      await mark(tx, notificationId, { error: reason, ...(isFinal && { state: 'failed' }), ...(isUnsaid && unsaid) });
      if (known?.permanent && known.fault === 'address') await storeRefusal(tx, notificationId);
    });
    if (!known?.permanent) throw error;
    context.log.warn({ notificationId, reason: known.message }, 'a message was not sent');
  }
}

/** The columns of a message that certainly was not sent. */
const unsaid = { named_at: null, named_starts_at: null, named_doctor_id: null };

class Busy extends Error {
  override name = 'Busy';
}

/**
 * Leases the row for this worker, stores what its message names, and returns it, or null when there is nothing to send.
 *
 * @throws Busy while another worker has the lease, another message decides what the patient knows, or a move may still be undone
 * @throws DeliveryError when the message can never be sent
 */
async function leaseAndCreate(
  tx: Tx,
  context: JobContext,
  notificationId: number,
): Promise<{ message: Message; patientId: number; isFirstNaming: boolean } | null> {
  const now = isoNow(context.clock);
  const locked = await lockAppointmentOf(tx, notificationId);
  const row = await lockQueued(tx, notificationId);
  if (!row) return null;
  if (isBeingSent(row, now)) throw new Busy(deliveryTexts.busy);
  const { appointment_id: appointmentId, kind } = row;
  const [messages] = await inOneTrip(tx, patientMessages({ appointmentId }));
  const cancelledAs = locked && placeWhenCancelled(row, messages, isOverAt(locked, now));
  const appointment = await readNamed(tx, context, row, cancelledAs);
  const isToPatient = row.patient_id !== null;
  // The message would name a start or provider that an Undo takes back.
  if (isToPatient && messages.some(isHeld)) throw new Busy(deliveryTexts.held);
  const others = messages.filter((message) => !isSameNotification(message, row));
  const isChange = kind === 'newTime' || kind === 'cancelled';
  const isJudged = isChange && !isOwnChange(row);
  if (isJudged && others.some((message) => isBeingSent(message, now))) throw new Busy(deliveryTexts.earlierBusy);
  const known = knownFrom(others);
  if (!(await isDue(tx, row, messages, appointment, { known: isJudged ? known : null, now }))) return null;
  const created = await createMessage(context, tx, row, appointment, isChange ? placeKnown(known) : null);
  // A receipt of a cancelled appointment does not say that there is one.
  const names = isToPatient && !isOwnChange(row) && (kind === 'cancelled' || !appointment.cancelled);
  await lease(tx, context, notificationId, names ? namedColumns(appointment, appointment.appointmentId, now) : {});
  return { ...created, isFirstNaming: row.named_at === null };
}

/**
 * Locks the appointment before its message, as every change of an appointment does: until the lease is stored, no change decides whether
 * the message is sent.
 */
const lockAppointmentOf = (tx: Tx, notificationId: number) =>
  tx
    .selectFrom('appointments')
    .select(['starts_at as startsAt', 'ends_at as endsAt'])
    .where('appointment_id', '=', (eb) =>
      eb.selectFrom('notification_logs').select('appointment_id').where('notification_id', '=', notificationId),
    )
    .forShare()
    .executeTakeFirst();

/** Locks the row of a message that is to be sent and is not held. */
const lockQueued = (tx: Tx, notificationId: number) =>
  tx
    .selectFrom('notification_logs')
    .select([
      'notification_id',
      'appointment_id',
      'patient_id',
      'to_user_id',
      'method',
      'due_at',
      'created_at',
      'by_user_id',
      'claimed_until',
      'error',
      'named_at',
    ])
    .select((eb) => eb.ref('kind').$castTo<NotificationKind>().as('kind'))
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .where('held_until', 'is', null)
    .forUpdate()
    .executeTakeFirst();

type NotificationRow = NonNullable<Awaited<ReturnType<typeof lockQueued>>>;

/**
 * Reads the appointment as the message names it; `cancelledAs` is the start and provider with which it names a cancelled one.
 *
 * @throws DeliveryError when it was deleted
 */
async function readNamed(
  tx: Tx,
  context: JobContext,
  { appointment_id: id, kind, method, created_at: at }: NotificationRow,
  cancelledAs: Place | undefined,
): Promise<AppointmentDetails> {
  const options = { deleted: kind === 'cancelled', sent: method as 'email' | 'text', cancelledAs, at };
  const appointment = id === null ? null : await readAppointment(tx, context, { id }, options);
  if (!appointment) throw new DeliveryError(deliveryTexts.deleted, true);
  return appointment;
}

/**
 * Returns whether the message is still to be sent. One that is not needed any more is marked as dropped.
 *
 * @param known what the patient knows from other messages; null when the message does not depend on it
 * @throws DeliveryError when it can never be sent, or an outage has prevented it until it was too late
 */
async function isDue(
  tx: Tx,
  row: NotificationRow,
  messages: readonly PatientMessage[],
  appointment: AppointmentDetails,
  { known, now }: { known: Known | null; now: string },
): Promise<boolean> {
  const { kind, patient_id: patientId, due_at: dueAt, created_at: createdAt } = row;
  const isReplaced = await isObsolete(tx, row, messages, appointment);
  const verdict = judgeNotification({ kind, patientId, dueAt, createdAt, known }, appointment, isReplaced, now);
  if (verdict.is === 'failed') throw new DeliveryError(verdict.reason, true);
  if (verdict.is !== 'dropped') return true;
  // It was needed, and an outage has prevented it: staff see the reason.
  if (verdict.reason === deliveryTexts.past && row.error !== '') throw new DeliveryError(row.error, true);
  await mark(tx, row.notification_id, { state: 'dropped', error: verdict.reason });
  return false;
}

/** The start and provider with which the message names a cancelled appointment: those that the patient knows. */
function placeWhenCancelled(
  row: NotificationRow,
  messages: readonly PatientMessage[],
  isOver: (of: Place) => boolean,
): Place | undefined {
  if (row.kind !== 'cancelled') return lastNamed(messages);
  const own = messages.filter((message) => isSameNotification(message, row) && isOwnChange(message));
  const others = messages.filter((message) => !isSameNotification(message, row));
  return lastNamed(own) ?? placeKnown(knownFrom(others), isOver) ?? undefined;
}

const isHeld = ({ state, held_until }: Pick<PatientMessage, 'state' | 'held_until'>): boolean =>
  state === 'queued' && held_until !== null;

const isBeingSent = ({ claimed_until }: Pick<PatientMessage, 'claimed_until'>, now: string): boolean =>
  claimed_until !== null && claimed_until > now;

async function lease(
  tx: Tx,
  { clock }: JobContext,
  notificationId: number,
  named: Partial<ReturnType<typeof namedColumns>> = {},
): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set({ claimed_until: new Date(clock.now() + leaseMs).toISOString(), ...named })
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .execute();
}

/**
 * Whether a later message by the same method is queued or was sent, and says what this one would; of a nudge, whether its patient no longer
 * waits without a provider.
 */
async function isObsolete(
  tx: Tx,
  row: NotificationRow,
  messages: readonly PatientMessage[],
  appointment: Place,
): Promise<boolean> {
  switch (row.kind) {
    case 'nudge':
      return !(await waitsAlone(tx, row.appointment_id));
    case 'invitation':
    case 'newTime':
      return isSuperseded(messages, row, appointment);
    case 'cancelled':
      return isCancelledAgain(messages, row);
    default:
      return false;
  }
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
  const { kind } = row;
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
    const mail = patientMail(context, kind, appointment, { known, id, now: isoNow(context.clock) });
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
  result: { error: string; state?: 'failed' | 'dropped' } & Partial<typeof unsaid>,
): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set({ ...result, claimed_until: null })
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .execute();
}
