import { Typography } from '@mui/material';
import type { Appointment } from '@roomside/contract/appointments/calls.ts';
import { getPatient } from '@roomside/contract/patients/calls.ts';
import { useWatch } from 'react-hook-form';
import { useRead } from '../../api/use-call.ts';
import { type AppointmentValues, startOf } from './appointment-form.ts';
import { contactOf } from './contact.ts';
import { texts } from './edit-texts.ts';

interface Props {
  live: Appointment;
  /** The start that was chosen last. */
  slot: string;
}

/** Says which message a save sends to the patient: one who was notified of the appointment is notified of its new time or provider. */
export function SaveNotice({ live, slot }: Props) {
  const values = useWatch<AppointmentValues>() as AppointmentValues;
  const what = changeOf(live, values, slot);
  const { patientId } = live;
  const patient = useRead(getPatient, { params: { patientId } }, { enabled: what !== undefined }).data;
  if (!what || !patient) return null;
  const { name, ways } = contactOf(patient);
  return (
    <Typography variant="body2" role="status" sx={{ flexBasis: '100%' }}>
      {ways === '' ? texts.saveNotice.noContact(name) : texts.saveNotice[what](name, ways)}
    </Typography>
  );
}

/** What changes for a patient who knows of the appointment; undefined: nothing is sent. */
function changeOf(live: Appointment, values: AppointmentValues, slot: string): 'newTime' | 'newProvider' | undefined {
  const { notifiedStart, startDate, config } = live;
  if (notifiedStart === null || live.cancelled || values.cancelled) return undefined;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(values.date) || !/^\d{2}:\d{2}$/.test(values.time)) return undefined;
  const start = startOf(values, config.timeZone, [slot, startDate, notifiedStart]);
  if (Date.parse(start) <= Date.now()) return undefined;
  const isOtherProvider = values.doctorId !== live.doctorId;
  if (start === startDate && !isOtherProvider) return undefined;
  if (start !== notifiedStart) return 'newTime';
  return isOtherProvider ? 'newProvider' : undefined;
}
