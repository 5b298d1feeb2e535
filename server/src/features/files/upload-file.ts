import { uploadFile as call } from '@roomside/contract/files/calls.ts';
import { maxFileBytes } from '@roomside/contract/limits.ts';
import { newUid } from '../../platform/access-code.ts';
import { BlobDiffers, BlobTooLarge } from '../../platform/blobs.ts';
import type { Tx } from '../../platform/database/database.ts';
import { forStaffUpload } from '../../platform/http/handler.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';

/** CALL-15. Nothing is left of an upload that fails. */
export const uploadFile = forStaffUpload(
  call,
  async ({ context, params, query, upload, now, look, commit, touched }) => {
    const companyId = await look(async (tx, caller) => {
      await patientOf(tx, params.appointmentId);
      return caller.companyId;
    });
    const name = { companyId, uid: newUid() };
    const { mediaType, size, sha256, content } = upload;
    const announced = { maxBytes: maxFileBytes, ...(size !== undefined && { size }), ...(sha256 && { sha256 }) };
    const stored = await context.blobs.put(name, content, announced).catch((error: unknown) => {
      if (error instanceof BlobTooLarge) throw new Refusal('too-large');
      throw error instanceof BlobDiffers ? new Refusal('cut-off') : error;
    });
    try {
      return await commit(async (tx, caller) => {
        const patientId = await patientOf(tx, params.appointmentId);
        touched('fileUid', name.uid);
        const { file_id: fileId } = await tx
          .insertInto('files')
          .values({
            company_id: companyId,
            appointment_id: params.appointmentId,
            patient_id: patientId,
            file_uid: name.uid,
            name: await sealText(
              tx,
              context.keys,
              { companyId, now },
              query.name.trim(),
              sealedPlaces.fileName(name.uid),
            ),
            media_type: mediaType,
            size: stored.size,
            content_hash: context.keys.mac('body', stored.sha256),
            by_user_id: caller.userId,
            uploaded_at: now,
          })
          .returning('file_id')
          .executeTakeFirstOrThrow();
        return { fileId, fileUid: name.uid, size: stored.size };
      });
    } catch (error) {
      await context.blobs.delete(name);
      throw error;
    }
  },
);

/** @throws Refusal `not-found` for an unknown, archived or foreign appointment */
async function patientOf(tx: Tx, appointmentId: number): Promise<number> {
  const row = await tx
    .selectFrom('appointments')
    .select('patient_id')
    .where('appointment_id', '=', appointmentId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row.patient_id;
}
