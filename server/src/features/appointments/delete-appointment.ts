import { deleteAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { mayDelete } from '@roomside/contract/appointments/may-delete.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { wasNotified } from '../notifications/was-notified.ts';

/** LIST-20, VALID-32: archives an appointment that nothing has happened to; its link ends. */
export const deleteAppointment = forStaff(call, async ({ context, caller, params, tx, now, afterCommit }) => {
  const { appointmentId } = params;
  const row = await tx
    .selectFrom('appointments as a')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select([
      'a.notes',
      'v.duration',
      'v.patient_present_at',
      'a.patient_id',
      'a.ends_at',
      'a.cancelled',
      'a.calendar_sequence',
      sql<string>`(select coalesce(sum(l.amount), 0)::numeric(10,2) from ledger l where l.appointment_id = a.appointment_id)`.as(
        'collected',
      ),
      sql<boolean>`exists (select 1 from chat_messages m where m.appointment_id = a.appointment_id)`.as('chatted'),
      wasNotified(appointmentId).as('told'),
    ])
    .where('a.appointment_id', '=', appointmentId)
    .where('a.archived_at', 'is', null)
    .forNoKeyUpdate('a')
    .executeTakeFirst();
  if (!row) throw notFound();
  const hasRecords = row.notes.length > 0 || row.chatted || row.patient_present_at !== null;
  if (!mayDelete({ collected: row.collected, duration: row.duration ?? 0, hasRecords }))
    throw new Refusal('has-activity');
  await tx
    .updateTable('appointments')
    .set({ archived_at: now, calendar_sequence: row.calendar_sequence + 1 })
    .where('appointment_id', '=', appointmentId)
    .execute();
  // Whoever has the visit in his calendar must not wait in vain.
  if (row.told && !row.cancelled && row.ends_at > now) {
    const visit = { companyId: caller.companyId, appointmentId, patientId: row.patient_id };
    await queueNotification(tx, context, { ...visit, kind: 'cancelled', byUserId: caller.userId, now });
  }
  afterCommit(() => context.push.schedule(caller.companyId));
  await sql`select end_patient_sign_ins(${appointmentId}, ${now})`.execute(tx);
  return undefined;
});
