import { deleteFile as call } from '@roomside/contract/files/calls.ts';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { deleteBlobs } from '../../platform/delete-blobs.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { pushFilesChanged } from './push-files-changed.ts';

/** CALL-15. The content is deleted after the commit. */
export const deleteFile = forStaff(call, async ({ context, caller, params, tx, touched, afterCommit }) => {
  const uid = normalizeUid(params.fileUid);
  const deleted = await tx
    .deleteFrom('files')
    .where('file_uid', '=', uid)
    .returning(['appointment_id', 'patient_id'])
    .executeTakeFirst();
  if (!deleted) throw notFound();
  touched('appointmentId', deleted.appointment_id);
  touched('patientId', deleted.patient_id);
  afterCommit(() => deleteBlobs(context, 'file', caller.companyId, [uid]));
  await pushFilesChanged(context, { tx, caller, afterCommit }, [deleted.appointment_id]);
  return undefined;
});
