import { Typography } from '@mui/material';
import type { Appointment } from '@roomside/contract/appointments/calls.ts';
import { getPatient } from '@roomside/contract/patients/calls.ts';
import { useWatch } from 'react-hook-form';
import { useRead } from '../../api/use-call.ts';
import type { AppointmentValues } from './appointment-form.ts';
import { contactOf } from './contact.ts';
import { texts } from './edit-texts.ts';
import { messageOfSave } from './message-of-save.ts';

interface Props {
  /** The version that the typed values started from. */
  base: Appointment;
  /** The latest one: messages and the status change without another version. */
  live: Appointment;
  /** The start that was chosen last. */
  slot: string;
}

/** Says which message a save sends to the patient: one who was notified of the appointment is notified of its new time or provider. */
export function SaveNotice({ base, live, slot }: Props) {
  const values = useWatch<AppointmentValues>() as AppointmentValues;
  const what = messageOfSave({ ...base, expected: live.expected, status: live.status }, values, slot);
  const { patientId } = base;
  const patient = useRead(getPatient, { params: { patientId } }, { enabled: what !== undefined }).data;
  if (!what || !patient) return null;
  const { name, ways } = contactOf(patient);
  return (
    <Typography variant="body2" role="status" sx={{ flexBasis: '100%' }}>
      {ways === '' ? texts.saveNotice.noContact(name) : texts.saveNotice[what](name, ways)}
    </Typography>
  );
}
