import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { queueNotification } from './queue-notification.ts';
import { queueUserNotices } from './user-notices.ts';

interface Due {
  company_id: number;
  appointment_id: number;
  due_at: string;
}

/**
 * Queues the reminders that are due (decisions, 9). Nothing is stored ahead: what is due follows from the appointment as
 * it stands, so that moving moves a reminder and cancelling drops it; the notification's key makes it one, whatever
 * crashes and however many servers look.
 */
export async function queueDueReminders(context: Context): Promise<void> {
  const now = isoNow(context.clock);
  for (const { company_id: companyId, appointment_id: appointmentId, due_at: dueAt } of await due(
    context,
    'reminders',
    now,
  )) {
    await context.db.open({ kind: 'job', companyId }, async (tx) => {
      // Still as it was when it was found: a visit that was moved since has another reminder. Whoever moves it now waits.
      const visit = await tx
        .selectFrom('appointments as a')
        .innerJoin('companies as c', 'c.company_id', 'a.company_id')
        .select('a.patient_id')
        .where('a.appointment_id', '=', appointmentId)
        .where('a.cancelled', '=', false)
        .where('a.archived_at', 'is', null)
        .where('a.starts_at', '>', now)
        .where(sql<boolean>`a.starts_at - make_interval(mins => c.remind_before_min) = ${dueAt}`)
        .forShare('a')
        .executeTakeFirst();
      if (!visit) return;
      const about = { companyId, appointmentId, patientId: visit.patient_id, kind: 'reminder' as const };
      await queueNotification(tx, context, { ...about, byUserId: null, now, dueAt });
    });
  }
}

/** Queues nudges about patients who have waited too long without a provider. */
export async function queueDueNudges(context: Context): Promise<void> {
  const now = isoNow(context.clock);
  for (const { company_id: companyId, appointment_id: appointmentId, due_at: dueAt } of await due(
    context,
    'nudges',
    now,
  )) {
    await queueUserNotices(context, context.jobs, { companyId, appointmentId, kind: 'nudge', dueAt }, now);
  }
}

function due(context: Context, what: 'reminders' | 'nudges', now: string): Promise<Due[]> {
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<Due>`select * from ${sql.raw(`due_${what}`)}(${now})`.execute(tx);
    return rows;
  });
}
