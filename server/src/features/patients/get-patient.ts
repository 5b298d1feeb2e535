import { getPatient as call } from '@roomside/contract/patients/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { fromE164 } from '../../platform/phone.ts';
import { notFound } from '../../platform/refusal.ts';

export const getPatient = forStaff(call, async ({ caller, params, tx }) => {
  const row = await tx
    .selectFrom('patients')
    .select([
      'patient_id',
      'version',
      'first_name',
      'last_name',
      'birth_date',
      'email',
      'external_id',
      'created_at',
      'verified',
    ])
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', params.patientId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!row) throw notFound();
  const phones = await tx
    .selectFrom('patient_phones')
    .select('phone')
    .where('company_id', '=', caller.companyId)
    .where('patient_id', '=', params.patientId)
    .orderBy('position')
    .execute();
  return {
    patientId: row.patient_id,
    version: row.version,
    firstName: row.first_name,
    lastName: row.last_name,
    doB: row.birth_date,
    email: row.email,
    externalId: row.external_id,
    patientPhones: phones.map(({ phone }) => ({ phone: fromE164(phone) })),
    created: row.created_at,
    verified: row.verified,
  };
});
