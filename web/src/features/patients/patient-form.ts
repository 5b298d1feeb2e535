import type { ResultOf } from '@roomside/contract/call.ts';
import type { getPatient, PatientBody } from '@roomside/contract/patients/calls.ts';

/** A new patient starts without a phone row: an existing row must be filled, and an email alone is enough. */
export const blankPatient: PatientBody = {
  patientId: 0,
  version: 0,
  firstName: '',
  lastName: '',
  doB: '',
  email: '',
  externalId: '',
  patientPhones: [],
};

/** The form's values of a stored patient. */
export function toForm(patient: ResultOf<typeof getPatient>): PatientBody {
  const { patientId, version, firstName, lastName, doB, email, externalId, patientPhones } = patient;
  return { patientId, version, firstName, lastName, doB: doB ?? '', email, externalId, patientPhones };
}
