import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { getVisitCalendar as call } from '@roomside/contract/room/calls.ts';
import { forRoom } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { readAppointment } from '../notifications/appointment-details.ts';
import { visitCalendar } from '../notifications/calendar.ts';

/** The same calendar entry as in the emails, for staff and for the patient of the appointment. */
export const getVisitCalendar = forRoom(call, async ({ context, caller, params, tx, now, touched }) => {
  const appointment = await readAppointment(tx, context, { uid: normalizeUid(params.uid) });
  if (!appointment || (caller.kind === 'patient' && appointment.patientId !== caller.patientId)) throw notFound();
  touched('appointmentId', appointment.appointmentId);
  return { fileName: 'visit.ics', text: visitCalendar(context, appointment, now).content };
});
