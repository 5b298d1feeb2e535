import { moveMyVisit as call } from '@roomside/contract/my-visits/calls.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { changeAppointment, claimOf } from '../appointments/change-appointment.ts';
import { slotTaken } from '../appointments/provider-time.ts';
import { isOffered } from '../booking/is-offered.ts';
import { bookableDays } from '../booking/open-booking.ts';
import { lockOwnAppointment } from './own-appointment.ts';

/** Moves one of the patient's appointments to an offered start, before the clinic's notice period. */
export const moveMyVisit = forPatient(call, async ({ params, body, touched, ...scope }) => {
  const { tx, caller, now } = scope;
  const before = await lockOwnAppointment(tx, caller, params.uid, body.version, now);
  touched('appointmentId', before.appointmentId);
  const startsAt = new Date(body.startDate).toISOString();
  const { doctorId, ...span } = before.state;
  const endsAt = new Date(Date.parse(startsAt) + Date.parse(span.endsAt) - Date.parse(span.startsAt)).toISOString();
  const claim = claimOf(scope, { doctorId, startsAt, endsAt }, { own: { appointmentId: before.appointmentId } });
  if (!(await isOffered(tx, claim, bookableDays(now, caller.timeZone)))) throw slotTaken(claim, null);
  const moved = await changeAppointment(scope, before, { kind: 'move', startsAt, doctorId });
  return { startDate: moved.startsAt, endDate: moved.endsAt, version: moved.version };
});
