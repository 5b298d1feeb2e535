import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { deletePhoto as call } from '@roomside/contract/photos/calls.ts';
import { deleteBlobs } from '../../platform/delete-blobs.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';

/** CALL-16. The image is deleted after the commit. */
export const deletePhoto = forStaff(call, async ({ context, caller, params, tx, touched, afterCommit }) => {
  const uid = normalizeUid(params.fileUid);
  const deleted = await tx
    .deleteFrom('photos')
    .where('file_uid', '=', uid)
    .returning(['appointment_id', 'patient_id'])
    .executeTakeFirst();
  if (!deleted) throw notFound();
  touched('appointmentId', deleted.appointment_id);
  touched('patientId', deleted.patient_id);
  afterCommit(() => deleteBlobs(context, 'photo', caller.companyId, [uid]));
  return undefined;
});
