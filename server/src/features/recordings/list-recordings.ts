import { listRecordings as call, playRecording, type Recording } from '@roomside/contract/recordings/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { signAddress } from '../../platform/http/signed-address.ts';
import { notFound } from '../../platform/refusal.ts';
import { guestOf } from '../room/guest-of.ts';

/** CALL-14, REC-1. Tracks in the order in which they began. */
export const listRecordings = forStaff(call, async ({ context, caller, params, tx, touched }) => {
  const appointment = await tx
    .selectFrom('appointments as a')
    .innerJoin('patients as p', 'p.patient_id', 'a.patient_id')
    .select(['a.appointment_id', 'a.patient_id', 'a.starts_at', 'p.first_name', 'p.last_name'])
    .where('a.appointment_id', '=', params.appointmentId)
    .where('a.archived_at', 'is', null)
    .executeTakeFirst();
  if (!appointment) throw notFound();
  touched('patientId', appointment.patient_id);
  const rows = await tx
    .selectFrom('recording_blobs as b')
    .innerJoin('recordings as r', 'r.recording_id', 'b.recording_id')
    .leftJoin('users as u', 'u.user_id', 'r.user_id')
    .leftJoin('visit_guests as g', 'g.guest_id', 'r.guest_id')
    .select(['b.recording_id', 'b.blob_uid', 'b.started_at', 'b.stopped_at', 'b.media_type', 'b.size'])
    .select(['r.user_id', 'u.first_name', 'u.last_name'])
    .select(['r.guest_id', 'g.name as guest_name', 'g.role as guest_role'])
    .where('b.appointment_id', '=', params.appointmentId)
    .orderBy('b.started_at')
    .orderBy('b.blob_uid')
    .execute();
  const patient = { firstName: appointment.first_name, lastName: appointment.last_name };
  const recordings = new Map<number, Recording>();
  for (const row of rows) {
    const guest = guestOf(row);
    const isPatient = row.user_id === null && !guest;
    const recording = recordings.get(row.recording_id) ?? {
      recordingId: row.recording_id,
      patient: isPatient ? patient : null,
      user: row.user_id === null ? null : { firstName: row.first_name ?? '', lastName: row.last_name ?? '' },
      ...(guest && { guest }),
      blobs: [],
    };
    recordings.set(row.recording_id, recording);
    recording.blobs.push({
      blobUid: row.blob_uid,
      started: row.started_at,
      stopped: row.stopped_at,
      mediaType: row.media_type,
      size: row.size,
      address: signAddress(context, playRecording, { blobUid: row.blob_uid }, caller),
    });
  }
  touched('recordings', [...recordings.keys()]);
  return {
    appointment: {
      appointmentId: appointment.appointment_id,
      patientId: appointment.patient_id,
      patient,
      startDate: appointment.starts_at,
      timeZone: caller.timeZone,
    },
    data: [...recordings.values()],
  };
});
