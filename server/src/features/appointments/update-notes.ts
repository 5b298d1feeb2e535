import { updateNotes as call } from '@roomside/contract/appointments/calls.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { openTextOrSay, sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { updateAppointment } from './appointment-writer.ts';

/** CALL-11, STATE-20: notes have a separate version; a conflict returns the stored text, so that both texts are kept. */
export const updateNotes = forStaff(call, async ({ context, caller, params, body, tx, now }) => {
  const stored = await tx
    .selectFrom('appointments')
    .select(['appointment_uid', 'notes', 'notes_version', 'patient_id'])
    .where('appointment_id', '=', params.appointmentId)
    .where('archived_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  const place = sealedPlaces.notes(stored.appointment_uid);
  const notes = await openTextOrSay(tx, context, caller.companyId, stored.notes, place);
  // A repeat of a save whose response was lost is no conflict.
  if (notes === body.notes) return { notesVersion: stored.notes_version };
  if (stored.notes_version !== body.notesVersion) {
    throw new Refusal('stale', {
      current: { notes, notesVersion: stored.notes_version },
      objects: { appointmentId: params.appointmentId, patientId: stored.patient_id },
    });
  }
  refuseCardNumbers({ notes: body.notes });
  const notesVersion = stored.notes_version + 1;
  updateAppointment(tx, null, params.appointmentId, {
    notes: await sealText(tx, context.keys, { companyId: caller.companyId, now }, body.notes, place),
    notes_version: notesVersion,
  });
  return { notesVersion };
});
