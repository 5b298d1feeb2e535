import { moveUndoMs } from '@roomside/contract/limits.ts';
import type { MoveNotice } from '@roomside/contract/schedule/calls.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { type Held, knownPlace, type Place } from './held.ts';
import { type NotificationJob, notificationQueue, queueNotification } from './queue-notification.ts';

export interface Moved {
  readonly companyId: number;
  readonly appointmentId: number;
  readonly patientId: number;
  readonly from: Place;
  readonly to: Place;
  /** null = the patient moved it. */
  readonly byUserId: number | null;
  /** Whether the message waits for `moveUndoMs`, so that an Undo stops it. */
  readonly hold: boolean;
  readonly now: string;
}

/** The messages about an appointment when it was moved. */
export interface EarlierMessages {
  /** Those about an earlier new time that waited, and were dropped with the move. */
  readonly dropped: readonly Held[];
  /** Whether another message has reached the patient, or will. */
  readonly wasNotified: boolean;
}

/**
 * Queues the message about an upcoming appointment's new time or provider. A patient who has never been notified of the
 * appointment gets none; one that waits is replaced, or dropped when the move leads back to what the patient knows. The
 * caller holds the appointment's row. Returns what becomes of the message.
 */
export async function queueNewTime(
  tx: Tx,
  context: Pick<Context, 'jobs'>,
  moved: Moved,
  { dropped, wasNotified }: EarlierMessages,
): Promise<MoveNotice> {
  const { from, to, hold, now, ...about } = moved;
  const known = (await knownPlace(tx, about.appointmentId, dropped, now)) ?? from;
  if (to.startsAt <= now) return 'none';
  if (isSame(known, to)) return 'none';
  if (about.byUserId !== null && !wasNotified) return 'notInvited';
  const queued = await queueNotification(tx, context, {
    ...about,
    kind: 'newTime',
    now,
    ...(hold && { hold: { until: new Date(Date.parse(now) + moveUndoMs).toISOString(), known } }),
  });
  return queued === 0 ? 'noContact' : hold ? 'held' : 'queued';
}

const isSame = (a: Place, b: Place) => a.startsAt === b.startsAt && a.doctorId === b.doctorId;

/**
 * Hands the messages whose time to wait is over to the jobs. A row and its job change in one transaction: no crash
 * loses one, and several instances that look send each once.
 */
export async function releaseHeld(context: Context): Promise<void> {
  const now = isoNow(context.clock);
  const due = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ company_id: number; notification_id: number }>`
      select * from due_held_notifications(${now})`.execute(tx);
    return rows;
  });
  for (const { company_id: companyId, notification_id: notificationId } of due) {
    await context.db.open({ kind: 'job', companyId }, async (tx) => {
      const released = await tx
        .updateTable('notification_logs')
        .set({ held_until: null })
        .where('notification_id', '=', notificationId)
        .where('state', '=', 'queued')
        .where('held_until', 'is not', null)
        .returning('notification_id')
        .executeTakeFirst();
      if (!released) return;
      const job: NotificationJob = { companyId, notificationId };
      await context.jobs.send(tx, notificationQueue, job);
    });
  }
}
