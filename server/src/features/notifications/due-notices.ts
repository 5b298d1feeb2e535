import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { judgeNotification } from './judge.ts';
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
      // Locked, so that a move that runs now waits: then the reminder of the new time is found.
      const visit = await tx
        .selectFrom('appointments as a')
        .innerJoin('companies as c', 'c.company_id', 'a.company_id')
        .select(['a.patient_id', 'a.starts_at', 'a.ends_at', 'a.cancelled', 'c.disabled', 'c.remind_before_min'])
        .where('a.appointment_id', '=', appointmentId)
        .where('a.archived_at', 'is', null)
        .forShare('a')
        .executeTakeFirst();
      if (!visit) return;
      const reminder = { kind: 'reminder' as const, patientId: visit.patient_id, dueAt, createdAt: now };
      const appointment = {
        patientId: visit.patient_id,
        startsAt: visit.starts_at,
        endsAt: visit.ends_at,
        cancelled: visit.cancelled,
        company: { disabled: visit.disabled, remindBeforeMin: visit.remind_before_min },
      };
      if (judgeNotification(reminder, appointment, false, now).is !== 'due') return;
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
