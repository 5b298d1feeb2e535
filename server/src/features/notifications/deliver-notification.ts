import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { JobAttempt } from '../../platform/jobs.ts';
import { DeliveryError, type Transports } from './delivery.ts';
import { invitationMail, invitationText } from './invitation.ts';
import type { NotificationJob } from './queue-notification.ts';
import { deliveryTexts } from './texts.ts';
import { readVisit, type VisitDetails } from './visit-details.ts';

/** What jobs have of the context: they are started before the rest of it. */
export type JobContext = Omit<Context, 'jobs' | 'skipChecks'>;

/**
 * Sends one row of notification_logs and marks it 'sent', or 'failed' with the reason. A row that is not 'queued' any
 * more is left alone, so that a job which runs again sends nothing again. Should the server die between the other side's
 * yes and the mark, the message goes out once more: better twice than never, and mail repeats its Message-ID.
 */
export async function deliverNotification(
  context: JobContext,
  transports: Transports,
  job: NotificationJob,
  attempt: JobAttempt,
): Promise<void> {
  const { companyId, notificationId } = job;
  const inCompany = <T>(work: (tx: Tx) => Promise<T>) => context.db.open({ kind: 'job', companyId }, work);
  let left = false;
  try {
    await inCompany(async (tx) => {
      await claim(tx, notificationId);
      const notice = await tx
        .selectFrom('notification_logs')
        .select(['notification_id', 'appointment_id', 'kind', 'method'])
        .where('notification_id', '=', notificationId)
        .where('state', '=', 'queued')
        .executeTakeFirst();
      if (!notice) return;
      const visit = notice.appointment_id === null ? null : await readVisit(tx, context, { id: notice.appointment_id });
      await send(context, transports, tx, notice, visit);
      left = true;
      await markSent(context, tx, notificationId, visit);
    });
  } catch (error) {
    // It did leave: only the mark was lost, with the connection perhaps.
    if (left) return inCompany((tx) => markSent(context, tx, notificationId, null));
    if (error instanceof Busy) throw error;
    const known = error instanceof DeliveryError ? error : null;
    const over = attempt.last || known?.permanent === true;
    await inCompany((tx) => markFailed(tx, notificationId, known?.message ?? deliveryTexts.failed, over));
    if (!known?.permanent) throw error;
    context.log.warn({ notificationId, reason: known.message }, 'a message was not sent');
  }
}

class Busy extends Error {
  override name = 'Busy';
}

/**
 * One worker at a time for one message, until the transaction ends, however it ends. Not a row lock: that would give the
 * transaction an id, and the audit log's sealer waits for the oldest of those while we may wait for a slow gateway.
 */
async function claim(tx: Tx, notificationId: number): Promise<void> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`notification ${notificationId}`}, 0)) as mine`.execute(tx);
  if (!rows[0]?.mine) throw new Busy(deliveryTexts.busy);
}

interface Notice {
  readonly notification_id: number;
  readonly kind: string;
  readonly method: string;
}

async function send(
  context: JobContext,
  transports: Transports,
  tx: Tx,
  notice: Notice,
  visit: VisitDetails | null,
): Promise<void> {
  if (!visit) throw new DeliveryError(deliveryTexts.gone, true);
  if (visit.company.disabled) throw new DeliveryError(deliveryTexts.companyDisabled, true);
  if (visit.cancelled) throw new DeliveryError(deliveryTexts.cancelled, true);
  if (notice.kind !== 'invitation') throw new DeliveryError(deliveryTexts.unknownKind, true);
  const posting = { tx, now: isoNow(context.clock) };
  if (notice.method === 'email') {
    if (!visit.patient.email) throw new DeliveryError(deliveryTexts.noEmail, true);
    await transports.mail(
      invitationMail(context, visit, `notification-${notice.notification_id}`, posting.now),
      posting,
    );
  } else {
    if (!visit.patient.phone) throw new DeliveryError(deliveryTexts.noPhone, true);
    await transports.text(invitationText(visit), posting);
  }
}

async function markSent(
  context: JobContext,
  tx: Tx,
  notificationId: number,
  visit: VisitDetails | null,
): Promise<void> {
  const now = isoNow(context.clock);
  const { company_id, appointment_id } = await tx
    .updateTable('notification_logs')
    .set({ state: 'sent', sent_at: now, error: '' })
    .where('notification_id', '=', notificationId)
    .returning(['company_id', 'appointment_id'])
    .executeTakeFirstOrThrow();
  await audit(tx, {
    caller: null,
    companyId: company_id,
    at: now,
    action: 'deliverNotification',
    path: 'job/notification',
    objects: {
      notificationId,
      ...(appointment_id !== null && { appointmentId: appointment_id }),
      ...(visit && { patientId: visit.patientId }),
    },
    address: '',
    requestId: `notification-${notificationId}`,
  });
}

async function markFailed(tx: Tx, notificationId: number, error: string, over: boolean): Promise<void> {
  await tx
    .updateTable('notification_logs')
    .set({ error, ...(over && { state: 'failed' }) })
    .where('notification_id', '=', notificationId)
    .where('state', '=', 'queued')
    .execute();
}
