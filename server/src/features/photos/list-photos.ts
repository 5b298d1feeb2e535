import { maxListedPhotos } from '@roomside/contract/limits.ts';
import { listPhotos as call } from '@roomside/contract/photos/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { notFound } from '../../platform/refusal.ts';
import { photoOf, photoRows } from './photo-rows.ts';

/** CALL-16. */
export const listPhotos = forStaff(call, async ({ context, caller, params, tx, touched }) => {
  const patient = await tx
    .selectFrom('patients')
    .select('patient_id')
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', params.patientId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!patient) throw notFound();
  const rows = await photoRows(tx)
    .where('f.company_id', '=', caller.companyId)
    .where('f.patient_id', '=', params.patientId)
    .orderBy('f.file_id', 'desc')
    .limit(maxListedPhotos)
    .execute();
  touched(
    'photos',
    rows.map((row) => row.file_id),
  );
  return { data: rows.map((row) => photoOf(context, caller, row)) };
});
