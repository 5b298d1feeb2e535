import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { getPhoto as call } from '@roomside/contract/photos/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { photoOf, photoRows } from './photo-rows.ts';

/** CALL-16. */
export const getPhoto = forStaff(call, async ({ context, caller, params, tx, touched }) => {
  const row = await photoRows(tx).where('f.file_uid', '=', normalizeUid(params.fileUid)).executeTakeFirst();
  if (!row) throw notFound();
  touched('patientId', row.patient_id);
  const neighbor = async (than: '<' | '>') => {
    const found = await tx
      .selectFrom('photos')
      .select('file_uid')
      .where('company_id', '=', caller.companyId)
      .where('patient_id', '=', row.patient_id)
      .where('file_id', than, row.file_id)
      .orderBy('file_id', than === '<' ? 'desc' : 'asc')
      .limit(1)
      .executeTakeFirst();
    return found?.file_uid ?? null;
  };
  return { ...photoOf(context, caller, row), previous: await neighbor('>'), next: await neighbor('<') };
});
