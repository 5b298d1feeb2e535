import { downloadFile as call } from '@roomside/contract/files/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { forRoom } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';
import { pushFilesChanged } from './push-files-changed.ts';

/** CALL-15. A patient gets shared files of own appointments; the first download is noted, and shown to the room. */
export const downloadFile = forRoom(call, async ({ context, caller, params, tx, now, touched, afterCommit }) => {
  const uid = normalizeUid(params.fileUid);
  const { companyId } = caller;
  const row = await tx
    .selectFrom('files as f')
    .innerJoin('appointments as a', 'a.appointment_id', 'f.appointment_id')
    .select([
      'f.name',
      'f.media_type',
      'f.size',
      'f.content_hash',
      'f.patient_id',
      'f.appointment_id',
      'f.shared_at',
      'f.downloaded_at',
    ])
    .where('f.file_uid', '=', uid)
    .where('a.archived_at', 'is', null)
    .executeTakeFirst();
  const isPatient = caller.kind === 'patient';
  if (!row || (isPatient && (row.shared_at === null || row.patient_id !== caller.patientId))) throw notFound();
  touched('patientId', row.patient_id);
  if (isPatient && row.downloaded_at === null) {
    await tx.updateTable('files').set({ downloaded_at: now }).where('file_uid', '=', uid).execute();
    await pushFilesChanged(context, { tx, caller, afterCommit }, [row.appointment_id]);
  }
  return {
    fileName: await openTextOrSay(tx, context, companyId, row.name, sealedPlaces.fileName(uid)),
    mediaType: row.media_type,
    size: row.size,
    etag: row.content_hash.toString('hex'),
    open: (range?: { start: number; end: number }) => context.blobs.read({ companyId, uid }, range),
  };
});
