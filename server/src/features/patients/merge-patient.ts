import { mergePatient as call } from '@roomside/contract/patients/calls.ts';
import { sql } from 'kysely';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { queueNotification } from '../notifications/queue-notification.ts';

/** Decisions, 5: joins somebody who booked by link with a known patient, or keeps him as a new one. */
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
    // As strong as appointments that are being made for one of them need (forShare), and no stronger: what refers to them
    // goes on.
    .forNoKeyUpdate()
    .execute();
  const source = rows.find((row) => row.patient_id === patientId);
  if (!source || !rows.some((row) => row.patient_id === intoId)) throw notFound();
  if (source.verified) throw new Refusal('already-known');
  touched('intoId', intoId);
  if (intoId === patientId) {
    await tx.updateTable('patients').set({ verified: true }).where('patient_id', '=', patientId).execute();
    return { patientId };
  }
  const present = await tx
    .selectFrom('visits')
    .select('appointment_id')
    .where('patient_id', '=', patientId)
    .where('patient_present_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  // A device in a room is known by the patient's id.
  if (present) throw new Refusal('patient-present');
  const upcoming = await tx
    .selectFrom('appointments')
    .select('appointment_id')
    .where('patient_id', '=', patientId)
    .where('archived_at', 'is', null)
    .where('cancelled', '=', false)
    .where('ends_at', '>', now)
    .execute();
  await sql`select merge_patient(${patientId}, ${intoId}, ${now})`.execute(tx);
  // What whoever booked has in hand opens nothing any more: the patient gets a link where the clinic knows him.
  for (const { appointment_id: appointmentId } of upcoming) {
    const notice = { companyId: caller.companyId, appointmentId, patientId: intoId, kind: 'invitation' as const };
    await queueNotification(tx, context, { ...notice, byUserId: caller.userId, now });
  }
  afterCommit(() => context.push.schedule(caller.companyId));
  return { patientId: intoId };
});
