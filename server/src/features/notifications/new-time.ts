import { moveUndoMs } from '@roomside/contract/limits.ts';
import type { MoveNotice } from '@roomside/contract/schedule/calls.ts';
import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forAll } from '../../platform/repeat.ts';
import {
  expectsOther,
  isAware,
  isSamePlace,
  knownFrom,
  type PatientMessage,
  type Place,
  placeNotified,
} from './known-place.ts';
import { type NotificationJob, notificationQueue, queueNotification } from './queue-notification.ts';

export interface Moved {
  readonly companyId: number;
  readonly appointmentId: number;
  readonly patientId: number;
  readonly from: Place & { readonly endsAt: string };
  readonly to: Place;
  /** null = the patient moved it. */
  readonly byUserId: number | null;
  /** Whether the message is held for `moveUndoMs`, so that an Undo can drop it. */
  readonly hold: boolean;
  readonly now: string;
}

/**
 * Queues the message about an upcoming appointment's new time or provider. A patient who was not notified of the
 * appointment gets none, nor does one who knows the time and provider to which it moves back. The caller has locked the
 * appointment's row. Returns the state of the message.
 *
 * @param messages the messages to the patient, the latest first; the held ones have been dropped
 */
export async function queueNewTime(
  tx: Tx,
  context: Pick<Context, 'jobs'>,
  moved: Moved,
  messages: readonly PatientMessage[],
): Promise<MoveNotice> {
  const { from, to, hold, now, ...about } = moved;
  const isOwn = about.byUserId === null;
  if (to.startsAt <= now) return 'none';
  if (isOwn && isSamePlace(from, to)) return 'none';
  if (!isOwn) {
    if (placeNotified(messages, from, now) === null) return 'notInvited';
    const known = knownFrom(messages);
    if (isAware(known) && !expectsOther(known, to)) return 'none';
  }
  const queued = await queueNotification(tx, context, {
    ...about,
    kind: 'newTime',
    now,
    // Patients who move it themselves see where it is.
    ...(isOwn && { shown: to }),
    ...(hold && { heldUntil: new Date(Date.parse(now) + moveUndoMs).toISOString() }),
  });
  return queued === 'queued' && hold ? 'held' : queued;
}

/**
 * Creates the jobs of the held messages that are due. A row and its job change in one transaction: a crash loses no
 * message, and several instances send each message once.
 */
export async function releaseHeld(context: Context): Promise<void> {
  const now = isoNow(context.clock);
  const due = await context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ company_id: number; notification_id: number }>`
      select * from due_held_notifications(${now})`.execute(tx);
    return rows;
  });
  await forAll(due, async ({ company_id: companyId, notification_id: notificationId }) => {
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
  });
}
