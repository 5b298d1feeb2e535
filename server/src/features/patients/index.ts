import { deletePatient } from './delete-patient.ts';
import { getPatient } from './get-patient.ts';
import { listPatients } from './list-patients.ts';
import { savePatient } from './save-patient.ts';

export const patientCalls = [listPatients, getPatient, savePatient, deletePatient];
