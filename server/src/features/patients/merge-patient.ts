import { limits } from '@roomside/contract/limits.ts';
import { mergePatient as call } from '@roomside/contract/patients/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { mergePatientRecords } from '../../platform/end-sign-ins.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { queueNotification } from '../notifications/queue-notification.ts';
import { requireNoVisit } from '../records/has-records.ts';
import { lockAppointmentsOf } from '../records/patient-rows.ts';
import { type PatientValues, readPatient, updatePatient } from './patient-rows.ts';

/** Merges an unverified patient, who booked by link, with a known one. Without `intoId`, marks the patient as verified. */
export const mergePatient = forStaff(call, async ({ context, caller, params, body, tx, now, touched, afterCommit }) => {
  const { patientId } = params;
  const intoId = body.intoId || patientId;
  const rows = await tx
    .selectFrom('patients')
    .select(['patient_id', 'verified'])
    .where('company_id', '=', caller.companyId)
    .where('archived_at', 'is', null)
    .where('patient_id', 'in', [patientId, intoId])
    .orderBy('patient_id')
    // Conflicts with saves of appointments for them (forShare), not with inserts that only refer to them.
    .forNoKeyUpdate()
    .execute();
  const source = rows.find((row) => row.patient_id === patientId);
  if (!source || !rows.some((row) => row.patient_id === intoId)) throw notFound();
  if (source.verified) throw new Refusal('already-known');
  touched('intoId', intoId);
  if (intoId === patientId) {
    await tx.updateTable('patients').set({ verified: true }).where('patient_id', '=', patientId).execute();
    return { patientId, linksSent: true };
  }
  await lockAppointmentsOf(tx, [patientId]);
  // A peer in a room is identified by the patient's id, which must not change.
  await requireNoVisit(tx, [patientId], now);
  const upcoming = await tx
    .selectFrom('appointments')
    .select('appointment_id')
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', patientId)
    .where('archived_at', 'is', null)
    .where('cancelled', '=', false)
    .where('ends_at', '>', now)
    .execute();
  const contact = body.takeContact === true ? await readPatient(tx, patientId) : null;
  await mergePatientRecords({ tx, context, now }, patientId, intoId);
  if (contact) await takeContact(tx, caller.companyId, intoId, contact);
  let linksSent = true;
  // The merge invalidates the links of the booking. The patient gets new ones at the contact on file.
  for (const { appointment_id: appointmentId } of upcoming) {
    const notice = { companyId: caller.companyId, appointmentId, patientId: intoId, kind: 'invitation' as const };
    const queued = await queueNotification(tx, context, { ...notice, byUserId: caller.userId, now, differs: true });
    linksSent &&= queued === 'queued';
  }
  afterCommit(() => context.push.schedule(caller.companyId));
  return { patientId: intoId, linksSent };
});

/** The booking's email replaces the one on file and its phone becomes the first, so that the invitation goes there. */
async function takeContact(tx: Tx, companyId: number, patientId: number, contact: PatientValues): Promise<void> {
  const { version, ...known } = await readPatient(tx, patientId);
  const phones = [...new Set([...contact.phones, ...known.phones])].slice(0, limits.patientPhones);
  await updatePatient(tx, companyId, patientId, version + 1, { ...known, email: contact.email || known.email, phones });
}
