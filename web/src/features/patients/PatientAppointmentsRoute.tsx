import { useParams } from 'react-router';
import { PatientAppointments } from '../appointments/PatientAppointments.tsx';

/** PATIENT-3, ROUTE-4: the default child of a patient's record. */
export function PatientAppointmentsRoute() {
  return <PatientAppointments patientId={Number(useParams()['id'])} />;
}
