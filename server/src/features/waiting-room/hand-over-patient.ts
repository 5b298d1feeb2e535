import { handOverPatient as call } from '@roomside/contract/waiting-room/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { changeAppointment } from '../appointments/change-appointment.ts';
import { lockAppointment } from '../appointments/lock-appointment.ts';
import { lockWaiting, pushWaiting } from './waiting-visit.ts';

/** Gives a waiting patient to another provider, who is notified like of an arrival. */
export const handOverPatient = forStaff(call, async ({ params, body, touched, ...scope }) => {
  const { context, caller, tx, afterCommit, now } = scope;
  const { appointment_id, appointment_uid: appointmentUid, doctor_id } = await lockWaiting(tx, caller, params.uid);
  touched('appointmentId', appointment_id);
  const before = await lockAppointment(tx, { id: appointment_id }, now);
  await changeAppointment(scope, before, { kind: 'handOver', doctorId: body.doctorId }, { overbook: true });
  afterCommit(() => pushWaiting(context, caller, { appointmentUid, doctorIds: [doctor_id, body.doctorId] }));
  return undefined;
});
