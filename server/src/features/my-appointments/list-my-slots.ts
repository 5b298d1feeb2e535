import { listMySlots as call } from '@roomside/contract/my-appointments/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { forPatient } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { bookableDays, bookablePart } from '../booking/open-booking.ts';
import { readFreeStarts } from '../schedule/availability.ts';

/** Returns the starts to which an appointment can be moved: its provider's free ones for its length. */
export const listMySlots = forPatient(call, async ({ caller, params, query, tx, now, touched }) => {
  const appointment = await tx
    .selectFrom('appointments')
    .select(['appointment_id', 'doctor_id', 'starts_at', 'ends_at'])
    .where('appointment_uid', '=', normalizeUid(params.uid))
    .where('patient_id', '=', caller.patientId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!appointment) throw notFound();
  touched('appointmentId', appointment.appointment_id);
  const days = bookablePart(query, bookableDays(now, caller.timeZone));
  if (!days) return { data: [] };
  const minutes = (Date.parse(appointment.ends_at) - Date.parse(appointment.starts_at)) / 60_000;
  const ignore = { appointmentId: appointment.appointment_id };
  const starts = await readFreeStarts(tx, caller.companyId, [appointment.doctor_id], days, { ignore, minutes, now });
  return { data: starts.map(({ startDate }) => ({ startDate })) };
});
