import { deletePatient } from './delete-patient.ts';
import { erasePatient } from './erase-patient-data.ts';
import { getPatient } from './get-patient.ts';
import { listPatientMatches } from './list-patient-matches.ts';
import { listPatients } from './list-patients.ts';
import { mergePatient } from './merge-patient.ts';
import { savePatient } from './save-patient.ts';

export const patientCalls = [
  listPatients,
  getPatient,
  savePatient,
  deletePatient,
  listPatientMatches,
  mergePatient,
  erasePatient,
];
