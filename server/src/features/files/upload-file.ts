import { uploadFile as call, namedFile } from '@roomside/contract/files/calls.ts';
import { maxFileBytes } from '@roomside/contract/limits.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fileOf } from '../../platform/http/form.ts';
import { forStaffUpload } from '../../platform/http/handler.ts';
import { parse } from '../../platform/http/parse.ts';
import { storeUpload } from '../../platform/http/store-upload.ts';
import { notFound } from '../../platform/refusal.ts';
import { sealedPlaces, sealText } from '../../platform/sealed-text.ts';
import { lockForRecord } from '../records/lock-for-record.ts';
import { wasMerged } from '../records/patient-rows.ts';

/** CALL-15. */
export const uploadFile = forStaffUpload(
  call,
  async ({ context, params, query, upload, now, look, commit, touched }) => {
    const { companyId, patientId: expected } = await look(async (tx, caller) => ({
      companyId: caller.companyId,
      patientId: await patientOf(tx, params.appointmentId),
    }));
    const form = await fileOf(upload);
    requireSame(form.fields, { appointmentId: params.appointmentId, patientId: expected });
    const { name } = parse(namedFile, { name: query.name ?? form.fileName ?? '' }, 'malformed');
    return storeUpload(context.blobs, form.upload, { companyId, maxBytes: maxFileBytes }, (stored) =>
      commit(async (tx, caller) => {
        const { patientId } = await lockForRecord(tx, { appointment_id: params.appointmentId });
        // The appointment got another patient while the file was sent.
        if (patientId !== expected && !(await wasMerged(tx, expected, patientId))) throw notFound();
        const { uid, size, sha256, mediaType } = stored;
        touched('fileUid', uid);
        const place = sealedPlaces.fileName(uid);
        const { file_id: fileId } = await tx
          .insertInto('files')
          .values({
            company_id: companyId,
            appointment_id: params.appointmentId,
            patient_id: patientId,
            file_uid: uid,
            name: await sealText(tx, context.keys, { companyId, now }, name.trim(), place),
            media_type: mediaType,
            size,
            content_hash: context.keys.mac('body', sha256),
            by_user_id: caller.userId,
            uploaded_at: now,
          })
          .returning('file_id')
          .executeTakeFirstOrThrow();
        return { fileId, fileUid: uid, size };
      }),
    );
  },
);

/** The fields of a form name what the path names. @throws Refusal `not-found` */
function requireSame(fields: ReadonlyMap<string, string>, expected: Record<string, number>): void {
  for (const [name, id] of Object.entries(expected)) {
    const given = fields.get(name);
    if (given !== undefined && given !== String(id)) throw notFound();
  }
}

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
