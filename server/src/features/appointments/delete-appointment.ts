import { deleteAppointment as call } from '@roomside/contract/appointments/calls.ts';
import { mayDelete } from '@roomside/contract/appointments/may-delete.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { hasRecords } from '../records/has-records.ts';
import { changeAppointment } from './change-appointment.ts';
import { lockAppointment } from './lock-appointment.ts';

/** LIST-20, VALID-32: archives an appointment without activity and revokes its link. */
export const deleteAppointment = forStaff(call, async ({ params, ...scope }) => {
  const { tx, now } = scope;
  const before = await lockAppointment(tx, { id: params.appointmentId }, now);
  const { collected, duration, appointmentId } = before;
  const kept = await hasRecords(tx, appointmentId, 'keepsAppointment');
  const hasActivity = !mayDelete({ collected, duration, hasRecords: kept });
  await changeAppointment(scope, before, { kind: 'delete', hasActivity });
  return undefined;
});
