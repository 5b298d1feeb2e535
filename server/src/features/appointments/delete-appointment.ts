import { deleteAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { mayDelete } from '@roomside/contract/appointments/may-delete.ts';
import { sql } from 'kysely';
import type { Tx } from '../../platform/database/database.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { changeAppointment } from './change-appointment.ts';
import { lockAppointment } from './lock-appointment.ts';

/** LIST-20, VALID-32: archives an appointment without activity and revokes its link. */
export const deleteAppointment = forStaff(call, async ({ params, ...scope }) => {
  const { tx, now } = scope;
  const before = await lockAppointment(tx, { id: params.appointmentId }, now);
  const hasRecords = before.isPatientPresent || (await hasWrittenRecords(tx, before.appointmentId));
  const hasActivity = !mayDelete({ collected: before.collected, duration: before.duration, hasRecords });
  await changeAppointment(scope, before, { kind: 'delete', hasActivity });
  return undefined;
});

/** Whether it has notes or chat messages. */
async function hasWrittenRecords(tx: Tx, appointmentId: number): Promise<boolean> {
  const { written } = await tx
    .selectFrom('appointments as a')
    .select(
      sql<boolean>`length(a.notes) > 0 or exists (
        select 1 from chat_messages m where m.appointment_id = a.appointment_id)`.as('written'),
    )
    .where('a.appointment_id', '=', appointmentId)
    .executeTakeFirstOrThrow();
  return written;
}
