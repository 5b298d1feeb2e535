import { sql } from 'kysely';
import { isoNow } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { forAll } from '../../platform/repeat.ts';
import { judgeNotification } from './judge.ts';
import { queueNotification } from './queue-notification.ts';
import { queueUserNotices } from './user-notices.ts';

interface Due {
  company_id: number;
  appointment_id: number;
  due_at: string;
}

/**
 * Queues the reminders that are due (decision 011). They are computed from the current appointments, so that moving an
 * appointment moves its reminder and cancelling drops it. The unique key of the notification makes it a single one, also
 * after crashes and with several instances.
 */
export async function queueDueReminders(context: Context): Promise<void> {
  const now = isoNow(context.clock);
  const due = await listDue(context, 'reminders', now);
  await forAll(due, async ({ company_id: companyId, appointment_id: appointmentId, due_at: dueAt }) => {
    await context.db.open({ kind: 'job', companyId }, async (tx) => {
      // The lock makes a simultaneous move wait; the reminder for its new time is found later. A join
      // would keep the patient that it found before it waited.
      await tx
        .selectFrom('appointments')
        .select('appointment_id')
        .where('appointment_id', '=', appointmentId)
        .forShare()
        .execute();
      const appointment = await tx
        .selectFrom('appointments as a')
        .innerJoin('companies as c', 'c.company_id', 'a.company_id')
        .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
        .select([
          'a.patient_id',
          'a.starts_at',
          'a.ends_at',
          'a.doctor_id',
          'a.cancelled',
          'p.is_test',
          'c.disabled',
          'c.remind_before_min',
        ])
        .where('a.appointment_id', '=', appointmentId)
        .where('a.archived_at', 'is', null)
        .executeTakeFirst();
      if (!appointment) return;
      const { patient_id: patientId } = appointment;
      const reminder = { kind: 'reminder' as const, patientId, dueAt, createdAt: now, known: null };
      const current = {
        patientId,
        startsAt: appointment.starts_at,
        endsAt: appointment.ends_at,
        doctorId: appointment.doctor_id,
        cancelled: appointment.cancelled,
        isTest: appointment.is_test,
        company: { disabled: appointment.disabled, remindBeforeMin: appointment.remind_before_min },
      };
      if (judgeNotification(reminder, current, false, now).is !== 'due') return;
      const about = { companyId, appointmentId, patientId, kind: 'reminder' as const };
      await queueNotification(tx, context, { ...about, byUserId: null, now, dueAt });
    });
  });
}

/** Queues notifications to users about patients who have waited too long without a provider. */
export async function queueDueNudges(context: Context): Promise<void> {
  const now = isoNow(context.clock);
  const due = await listDue(context, 'nudges', now);
  await forAll(due, ({ company_id: companyId, appointment_id: appointmentId, due_at: dueAt }) =>
    queueUserNotices(context, context.jobs, { companyId, appointmentId, kind: 'nudge', dueAt }, now),
  );
}

function listDue(context: Context, what: 'reminders' | 'nudges', now: string): Promise<Due[]> {
  return context.db.open({ kind: 'unauthenticated' }, async (tx) => {
    const { rows } = await sql<Due>`select * from ${sql.raw(`due_${what}`)}(${now})`.execute(tx);
    return rows;
  });
}
