import { sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import { forAll } from '../../platform/repeat.ts';
import { notificationQueue } from '../notifications/queue-notification.ts';

/** A notification that is queued for longer than this is lost, unless its job is pending. */
const lostAfterMs = 2 * 3_600_000;
/** The error in the notification's log. */
const lostText = 'The server stopped while sending.';

/**
 * Marks notifications as failed whose job is gone: the process died in its last attempt. Notifications with a pending job
 * are kept, for example after a long downtime.
 */
export async function failLostNotifications({
  db,
  clock,
  jobs,
}: Pick<Context, 'db' | 'clock' | 'jobs'>): Promise<void> {
  const dueBefore = new Date(clock.now() - lostAfterMs).toISOString();
  const overdue = await db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<{ company_id: number; notification_id: number }>`
      select * from overdue_notifications(${dueBefore})`.execute(tx);
    return Map.groupBy(rows, (row) => row.company_id);
  });
  await forAll(overdue.keys(), async (companyId) => {
    await db.open({ kind: 'job', companyId }, async (tx) => {
      const ids = (overdue.get(companyId) ?? []).map((row) => row.notification_id);
      const pending = await jobs.pending(tx, notificationQueue, 'notificationId', ids);
      const lost = ids.filter((id) => !pending.has(id));
      if (lost.length === 0) return;
      await tx
        .updateTable('notification_logs')
        .set({ state: 'failed', error: lostText })
        .where('notification_id', 'in', lost)
        .where('state', '=', 'queued')
        .execute();
    });
  });
}
