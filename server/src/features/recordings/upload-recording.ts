import { maxRecordingBytes } from '@roomside/contract/limits.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { may } from '@roomside/contract/permissions.ts';
import { uploadRecording as call } from '@roomside/contract/recordings/calls.ts';
import { newUid } from '../../platform/access-code.ts';
import { BlobDiffers, BlobTooLarge } from '../../platform/blobs.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaffUpload } from '../../platform/http/handler.ts';
import { withRow } from '../../platform/http/store-upload.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { lockForRecord } from '../records/lock-for-record.ts';

interface Segment {
  readonly appointmentId: number;
  readonly patientId: number;
  /** Of the recorded device. */
  readonly peerId: string;
  readonly serial: string;
}

/**
 * CALL-13. A segment that is stored already is not read again, and the result is that of the first upload. Nothing is left of an
 * upload that is refused.
 */
export const uploadRecording = forStaffUpload(call, async ({ context, query, upload, now, look, commit, touched }) => {
  if (Date.parse(query.stopped) <= Date.parse(query.started)) throw new Refusal('invalid');
  const { serial } = query;
  const peerId = `${query.roleId}_${query.userId}_${query.device}`;
  const uid = normalizeUid(query.appointmentUid);
  const { companyId, stored } = await look(async (tx, caller) => {
    const ids = await appointmentOf(tx, uid);
    const segment = { ...ids, peerId, serial };
    await requireConsent(tx, segment);
    return { companyId: caller.companyId, stored: await findStored(tx, segment) };
  });
  if (stored)
    return commit(async (tx) => {
      touched('appointmentId', (await appointmentOf(tx, uid)).appointmentId);
      touched('blobUid', stored.blobUid);
      return stored;
    });
  const name = { companyId, uid: newUid() };
  const { mediaType, size, sha256, content } = upload;
  const announced = { maxBytes: maxRecordingBytes, ...(size !== undefined && { size }), ...(sha256 && { sha256 }) };
  const blob = await context.blobs.put(name, content, announced).catch((error: unknown) => {
    if (error instanceof BlobTooLarge) throw new Refusal('too-large');
    throw error instanceof BlobDiffers ? new Refusal('cut-off') : error;
  });
  // The same segment may be stored at the same time.
  return withRow(
    context.blobs,
    name,
    () =>
      commit(async (tx, caller) => {
        const { appointmentId, patientId } = await lockForRecord(tx, { appointment_uid: uid });
        touched('appointmentId', appointmentId);
        const segment: Segment = { appointmentId, patientId, peerId, serial };
        const recordingId = await recordingOf(tx, segment, {
          companyId,
          userId: may(query.roleId, 'clinic.use') ? query.userId : null,
          guestId: query.roleId === 'G' ? query.userId : null,
          now,
        });
        const inserted = await tx
          .insertInto('recording_blobs')
          .values({
            blob_uid: name.uid,
            company_id: companyId,
            appointment_id: appointmentId,
            patient_id: patientId,
            recording_id: recordingId,
            serial,
            started_at: query.started,
            stopped_at: query.stopped,
            media_type: mediaType,
            size: blob.size,
            content_hash: context.keys.mac('body', blob.sha256),
            by_user_id: caller.userId,
            uploaded_at: now,
          })
          .onConflict((conflict) => conflict.columns(['recording_id', 'serial']).doNothing())
          .returning('blob_uid')
          .executeTakeFirst();
        const result = inserted ? { recordingId, blobUid: name.uid, size: blob.size } : await findStored(tx, segment);
        if (!result) throw notFound();
        touched('blobUid', result.blobUid);
        return result;
      }),
    ({ blobUid }) => blobUid,
  );
});

/** @throws Refusal `not-found` for an unknown, archived or foreign appointment */
async function appointmentOf(tx: Tx, uid: string): Promise<{ appointmentId: number; patientId: number }> {
  const row = await tx
    .selectFrom('appointments')
    .select(['appointment_id as appointmentId', 'patient_id as patientId'])
    .where('appointment_uid', '=', uid)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/**
 * Requires that the device has allowed a recording of this visit, or has made it.
 *
 * @throws Refusal `not-consented`
 */
async function requireConsent(tx: Tx, { appointmentId, peerId }: Segment): Promise<void> {
  const allowed = await tx
    .selectFrom('recording_consents')
    .select('consent_id')
    .where('appointment_id', '=', appointmentId)
    .where('peer_id', '=', peerId)
    .where('allowed', '=', true)
    .limit(1)
    .executeTakeFirst();
  if (allowed) return;
  const own = await tx
    .selectFrom('recording_runs')
    .select('run_id')
    .where('appointment_id', '=', appointmentId)
    .where('peer_id', '=', peerId)
    .where('started_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (!own) throw new Refusal('not-consented');
}

const findStored = (tx: Tx, { appointmentId, peerId, serial }: Segment) =>
  tx
    .selectFrom('recording_blobs as b')
    .innerJoin('recordings as r', 'r.recording_id', 'b.recording_id')
    .select(['b.recording_id as recordingId', 'b.blob_uid as blobUid', 'b.size'])
    .where('r.appointment_id', '=', appointmentId)
    .where('r.peer_id', '=', peerId)
    .where('b.serial', '=', serial)
    .executeTakeFirst();

/** Returns the recording of a device, and creates it with its first segment. */
async function recordingOf(
  tx: Tx,
  { appointmentId, patientId, peerId }: Segment,
  {
    companyId,
    userId,
    guestId,
    now,
  }: { companyId: number; userId: number | null; guestId: number | null; now: string },
): Promise<number> {
  await tx
    .insertInto('recordings')
    .values({
      company_id: companyId,
      appointment_id: appointmentId,
      patient_id: patientId,
      peer_id: peerId,
      user_id: userId,
      guest_id: guestId,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['appointment_id', 'peer_id']).doNothing())
    .execute();
  const { recording_id } = await tx
    .selectFrom('recordings')
    .select('recording_id')
    .where('appointment_id', '=', appointmentId)
    .where('peer_id', '=', peerId)
    .executeTakeFirstOrThrow();
  return recording_id;
}
