import { Readable } from 'node:stream';
import { newUid } from '../src/platform/access-code.ts';
import { isoNow } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';

/** The device of the patient that {@link buildRecording} records. */
export const recordedDevice = 'phone';

/**
 * Stores a recording of the patient, who has allowed it, with one segment of a second that ends now. Returns its ids.
 */
export async function buildRecording(
  context: Context,
  of: { companyId: number; appointmentId: number; patientId: number; doctorId: number },
  { content = Buffer.from('video'), mediaType = 'video/mp4' } = {},
): Promise<{ recordingId: number; blobUid: string }> {
  const { companyId } = of;
  const blobUid = newUid();
  const { size, sha256 } = await context.blobs.put({ companyId, uid: blobUid }, Readable.from([content]), {
    maxBytes: content.length,
  });
  const now = isoNow(context.clock);
  const started = new Date(context.clock.now() - 1000).toISOString();
  const ids = { company_id: companyId, appointment_id: of.appointmentId, patient_id: of.patientId };
  const peer = { ...ids, peer_id: `P_${of.patientId}_${recordedDevice}` };
  const recordingId = await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const run = { by_user_id: of.doctorId, peer_id: `D_${of.doctorId}_desk`, asked_at: now, started_at: now };
    const { run_id } = await tx
      .insertInto('recording_runs')
      .values({ ...ids, ...run, stopped_at: now })
      .returning('run_id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('recording_consents')
      .values({ ...peer, run_id, stream_id: 'stream', allowed: true, answered_at: now })
      .execute();
    const { recording_id } = await tx
      .insertInto('recordings')
      .values({ ...peer, created_at: now })
      .returning('recording_id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('recording_blobs')
      .values({
        ...ids,
        recording_id,
        blob_uid: blobUid,
        serial: newUid(),
        started_at: started,
        stopped_at: now,
        media_type: mediaType,
        size,
        content_hash: context.keys.mac('body', sha256),
        by_user_id: of.doctorId,
        uploaded_at: now,
      })
      .execute();
    return recording_id;
  });
  return { recordingId, blobUid };
}
