import { handOverPatient as call } from '@roomside/contract/waiting-room/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { changeAppointment } from '../appointments/change-appointment.ts';
import { lockAppointment } from '../appointments/lock-appointment.ts';
import { lockWaiting } from './waiting-visit.ts';

/** Gives a waiting patient to another provider, who is notified like of an arrival. */
export const handOverPatient = forStaff(call, async ({ params, body, touched, ...scope }) => {
  const { caller, tx, now } = scope;
  const { appointment_id } = await lockWaiting(tx, caller, params.uid);
  touched('appointmentId', appointment_id);
  const before = await lockAppointment(tx, { id: appointment_id }, now);
  await changeAppointment(scope, before, { kind: 'handOver', doctorId: body.doctorId }, { overbook: true });
  return undefined;
});
