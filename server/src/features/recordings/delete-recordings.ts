import { deleteRecordings as allCall, deleteRecording as oneCall } from '@roomside/contract/recordings/calls.ts';
import type { Tx } from '../../platform/database/database.ts';
import { deleteBlobs } from '../../platform/delete-blobs.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

/** CALL-14. The content is deleted after the commit. */
export const deleteRecordings = forStaff(allCall, async ({ context, caller, params, tx, touched, afterCommit }) => {
  const { companyId } = caller;
  const appointment = await tx
    .selectFrom('appointments')
    .select(['appointment_id', 'patient_id'])
    .where('appointment_id', '=', params.appointmentId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!appointment) throw notFound();
  touched('patientId', appointment.patient_id);
  const recordings = await tx
    .selectFrom('recordings')
    .select('recording_id')
    .where('appointment_id', '=', params.appointmentId)
    .execute();
  const ids = recordings.map(({ recording_id }) => recording_id);
  touched('recordings', ids);
  const uids = await deleteRows(tx, ids);
  afterCommit(() => deleteBlobs(context, 'recording', companyId, uids));
  return undefined;
});

/** CALL-14. */
export const deleteRecording = forStaff(oneCall, async ({ context, caller, params, tx, touched, afterCommit }) => {
  const { companyId } = caller;
  const recording = await tx
    .selectFrom('recordings')
    .select(['appointment_id', 'patient_id'])
    .where('recording_id', '=', params.recordingId)
    .executeTakeFirst();
  if (!recording) throw notFound();
  touched('appointmentId', recording.appointment_id);
  touched('patientId', recording.patient_id);
  const uids = await deleteRows(tx, [params.recordingId]);
  afterCommit(() => deleteBlobs(context, 'recording', companyId, uids));
  return undefined;
});

/** Deletes recordings with their segments. Returns the uids of the segments. */
async function deleteRows(tx: Tx, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const blobs = await tx.deleteFrom('recording_blobs').where('recording_id', 'in', ids).returning('blob_uid').execute();
  await tx.deleteFrom('recordings').where('recording_id', 'in', ids).execute();
  return blobs.map(({ blob_uid }) => blob_uid);
}
