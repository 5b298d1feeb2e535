import { listFiles as call, downloadFile } from '@roomside/contract/files/calls.ts';
import { forRoom } from '../../platform/http/handler.ts';
import { signAddress } from '../../platform/http/signed-address.ts';
import { notFound } from '../../platform/refusal.ts';
import { openTextOrSay, sealedPlaces } from '../../platform/sealed-text.ts';

/** CALL-15. A patient gets the shared files of an own appointment. */
export const listFiles = forRoom(call, async ({ context, caller, params, tx, touched }) => {
  const appointment = await tx
    .selectFrom('appointments')
    .select(['appointment_id', 'patient_id'])
    .where('appointment_id', '=', params.appointmentId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  const isPatient = caller.kind === 'patient';
  if (!appointment || (isPatient && appointment.patient_id !== caller.patientId)) throw notFound();
  const rows = await tx
    .selectFrom('files')
    .select(['file_id', 'file_uid', 'name', 'media_type', 'size', 'uploaded_at', 'shared_at', 'downloaded_at'])
    .where('appointment_id', '=', params.appointmentId)
    .$if(isPatient, (files) => files.where('shared_at', 'is not', null))
    .orderBy('file_id')
    .execute();
  touched(
    'files',
    rows.map((row) => row.file_id),
  );
  const data = [];
  for (const row of rows) {
    const place = sealedPlaces.fileName(row.file_uid);
    data.push({
      fileId: row.file_id,
      fileUid: row.file_uid,
      name: await openTextOrSay(tx, context, caller.companyId, row.name, place),
      mediaType: row.media_type,
      size: row.size,
      uploaded: row.uploaded_at,
      shared: row.shared_at !== null,
      downloaded: isPatient ? null : row.downloaded_at,
      address: signAddress(context, downloadFile, { fileUid: row.file_uid }, caller),
    });
  }
  return { data };
});
