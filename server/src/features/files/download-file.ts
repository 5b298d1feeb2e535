import { downloadFile as call } from '@roomside/contract/files/calls.ts';
import { normaliseUid } from '@roomside/contract/shape.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';

/** CALL-15. */
export const downloadFile = forStaff(call, async ({ context, caller, params, tx, touched }) => {
  const uid = normaliseUid(params.fileUid);
  const { companyId } = caller;
  const row = await tx
    .selectFrom('files as f')
    .innerJoin('appointments as a', 'a.appointment_id', 'f.appointment_id')
    .select(['f.name', 'f.media_type', 'f.size', 'f.content_hash', 'f.patient_id'])
    .where('f.file_uid', '=', uid)
    .where('a.archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  touched('patientId', row.patient_id);
  return {
    fileName: await openTextOrSay(tx, context, companyId, row.name, sealedPlaces.fileName(uid)),
    mediaType: row.media_type,
    size: row.size,
    etag: row.content_hash.toString('hex'),
    open: (range?: { start: number; end: number }) => context.blobs.read({ companyId, uid }, range),
  };
});
