import { listPatientMatches as call } from '@roomside/contract/patients/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { fromE164 } from '../../platform/phone.ts';
import { findMatches, readKnown } from './patient-matches.ts';

export const listPatientMatches = forStaff(call, async ({ caller, params, tx, touched }) => {
  const patient = await readKnown(tx, caller.companyId, params.patientId);
  const matches = patient.verified ? [] : await findMatches(tx, caller.companyId, patient);
  touched(
    'patients',
    matches.map(({ patientId }) => patientId),
  );
  return {
    data: matches.slice(0, 5).map(({ patientId, firstName, lastName, birthDate, email, phone, same }) => ({
      patientId,
      firstName,
      lastName,
      doB: birthDate,
      email,
      phone: phone ? fromE164(phone) : '',
      same: [...same],
    })),
  };
});
