import { deleteAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { mayDelete } from '@roomside/contract/appointments/may-delete.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';

/** LIST-20, VALID-32: archives an appointment that nothing has happened to; its link ends. */
export const deleteAppointment = forStaff(call, async ({ params, tx, now }) => {
  const { appointmentId } = params;
  const row = await tx
    .selectFrom('appointments as a')
    .leftJoin('visits as v', 'v.appointment_id', 'a.appointment_id')
    .select([
      'a.notes',
      'v.duration',
      'v.patient_present_at',
      sql<string>`(select coalesce(sum(l.amount), 0)::numeric(10,2) from ledger l where l.appointment_id = a.appointment_id)`.as(
        'collected',
      ),
      sql<boolean>`exists (select 1 from chat_messages m where m.appointment_id = a.appointment_id)`.as('chatted'),
    ])
    .where('a.appointment_id', '=', appointmentId)
    .where('a.archived_at', 'is', null)
    .forNoKeyUpdate('a')
    .executeTakeFirst();
  if (!row) throw notFound();
  const hasRecords = row.notes !== '' || row.chatted || row.patient_present_at !== null;
  if (!mayDelete({ collected: row.collected, duration: row.duration ?? 0, hasRecords }))
    throw new Refusal('has-activity');
  await tx.updateTable('appointments').set({ archived_at: now }).where('appointment_id', '=', appointmentId).execute();
  await sql`select end_patient_sign_ins(${appointmentId}, ${now})`.execute(tx);
  return undefined;
});
