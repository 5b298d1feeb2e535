import { cancelMyVisit as call } from '@roomside/contract/my-visits/calls.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { changeAppointment } from '../appointments/change-appointment.ts';
import { lockOwnAppointment } from './own-appointment.ts';

/** Cancels one of the patient's appointments before the notice period, frees its time and revokes its link. */
export const cancelMyVisit = forPatient(call, async ({ params, body, touched, ...scope }) => {
  const { tx, caller, now } = scope;
  const before = await lockOwnAppointment(tx, caller, params.uid, body.version, now);
  touched('appointmentId', before.appointmentId);
  await changeAppointment(scope, before, { kind: 'cancel' });
  return undefined;
});
