import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { downloadPhoto as call } from '@roomside/contract/photos/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { photoName, photoRows } from './photo-rows.ts';

/** CALL-14. */
export const downloadPhoto = forStaff(call, async ({ context, caller, params, tx, touched }) => {
  const uid = normalizeUid(params.fileUid);
  const { companyId } = caller;
  const row = await photoRows(tx).select(['f.size', 'f.content_hash']).where('f.file_uid', '=', uid).executeTakeFirst();
  if (!row) throw notFound();
  touched('patientId', row.patient_id);
  return {
    fileName: photoName(row.uploaded_at, caller.timeZone),
    mediaType: 'image/jpeg',
    size: row.size,
    etag: row.content_hash.toString('hex'),
    open: (range?: { start: number; end: number }) => context.blobs.read({ companyId, uid }, range),
  };
});
