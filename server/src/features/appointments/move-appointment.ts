import { moveAppointment as call } from '@roomside/contract/schedule/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { changeAppointment } from './change-appointment.ts';
import { lockAppointment } from './lock-appointment.ts';

/** SCHED-3, STATE-25: moves an upcoming appointment to another time or provider; its length stays. */
export const moveAppointment = forStaff(call, async ({ params, body, touched, ...scope }) => {
  const { tx, now } = scope;
  const before = await lockAppointment(tx, { id: params.appointmentId }, now, body.version);
  touched('patientId', before.state.patientId);
  const startsAt = new Date(body.startDate).toISOString();
  const request = { kind: 'move', startsAt, doctorId: body.doctorId } as const;
  const moved = await changeAppointment(scope, before, request, {
    overbook: body.overbook ?? false,
    isUndoable: true,
  });
  return { startDate: moved.startsAt, endDate: moved.endsAt, version: moved.version, notice: moved.notice };
});
