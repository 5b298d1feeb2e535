import { savePatient as call } from '@roomside/contract/patients/calls.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import { instantToWall } from '@roomside/contract/time.ts';
import { refuseCardNumbers } from '../../platform/card-numbers.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { checkVersion, fieldRefusal, notFound } from '../../platform/refusal.ts';
import { insertPatient, updatePatient } from './patient-rows.ts';

/** CALL-18: creates (patientId 0) or saves a patient. Returns 409 when the stored version is newer. */
export const savePatient = forStaff(call, async ({ caller, body, tx, now, touched }) => {
  const values = {
    firstName: body.firstName,
    lastName: body.lastName,
    birthDate: body.doB,
    email: body.email,
    externalId: body.externalId,
    phones: body.patientPhones.map(({ phone }) => phone),
  };
  if (body.doB > instantToWall(now, caller.timeZone).day) throw fieldRefusal('invalid', 'doB', fieldTexts.notValid);
  refuseCardNumbers({ externalId: body.externalId });
  if (body.patientId === 0) {
    const patientId = await insertPatient(tx, { ...values, companyId: caller.companyId, anonymous: false, now });
    touched('patientId', patientId);
    return { patientId, version: 0 };
  }
  const stored = await tx
    .selectFrom('patients')
    .select('version')
    .where('patient_id', '=', body.patientId)
    .where('archived_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!stored) throw notFound();
  checkVersion(stored, body.version);
  const version = stored.version + 1;
  await updatePatient(tx, caller.companyId, body.patientId, version, values);
  touched('patientId', body.patientId);
  return { patientId: body.patientId, version };
});
