import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { playRecording as call } from '@roomside/contract/recordings/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

/** CALL-14. */
export const playRecording = forStaff(call, async ({ context, caller, params, tx, touched }) => {
  const uid = normalizeUid(params.blobUid);
  const { companyId } = caller;
  const row = await tx
    .selectFrom('recording_blobs as b')
    .innerJoin('recordings as r', 'r.recording_id', 'b.recording_id')
    .innerJoin('appointments as a', 'a.appointment_id', 'b.appointment_id')
    .leftJoin('users as u', 'u.user_id', 'r.user_id')
    .select(['b.started_at', 'b.media_type', 'b.size', 'b.content_hash', 'b.patient_id', 'u.last_name'])
    .where('b.blob_uid', '=', uid)
    .where('a.archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  touched('patientId', row.patient_id);
  return {
    fileName: fileNameOf(row.started_at, row.last_name ?? 'patient', row.media_type),
    mediaType: row.media_type,
    size: row.size,
    etag: row.content_hash.toString('hex'),
    open: (range?: { start: number; end: number }) => context.blobs.read({ companyId, uid }, range),
  };
});

/** A downloaded segment's name: 'recording-2026-11-22-140500-patient.mp4', in UTC. */
function fileNameOf(started: string, name: string, mediaType: string): string {
  const at = new Date(started).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  return `recording-${at}-${name.toLowerCase()}.${mediaType.split('/')[1]}`;
}
