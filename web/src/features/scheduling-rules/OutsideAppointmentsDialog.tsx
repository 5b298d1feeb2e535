import { Link, Stack, Typography } from '@mui/material';
import type { OutsideAppointment } from '@roomside/contract/appointments/outside-appointment.ts';
import { Link as RouterLink } from 'react-router';
import { useCompany } from '../../api/use-company.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogFrame } from '../../ui/DialogFrame.tsx';
import { texts } from './texts.ts';

const words = texts.outside;

interface Props {
  /** Undefined = closed. */
  appointments: readonly OutsideAppointment[] | undefined;
  title?: string;
  onClose: () => void;
}

/** Booked appointments that are now outside of the schedule, each with a link to move it. */
export function OutsideAppointmentsDialog({ appointments, title, onClose }: Props) {
  const zone = useCompany()?.timeZone ?? ownZone();
  if (!appointments) return null;
  return (
    <DialogFrame
      title={title ?? words.title(appointments.length)}
      text={words.text}
      width="sm"
      onClose={onClose}
      actions={
        <Button look="quiet" onClick={onClose} autoFocus>
          {words.close}
        </Button>
      }
    >
      <Stack component="ul" sx={{ listStyle: 'none', p: 0, m: 0, mt: 2, gap: 1.5 }}>
        {appointments.map((appointment) => {
          const { appointmentId, patientId, patient, doctor, startDate } = appointment;
          return (
            <li key={appointmentId}>
              <Link component={RouterLink} to={to.appointmentEdit({ patient: patientId, id: appointmentId })}>
                {words.open(formatDateTime(startDate, zone, ownZone()), `${patient.lastName}, ${patient.firstName}`)}
              </Link>
              <Typography variant="body2" color="textSecondary">
                {words.with(`${doctor.firstName} ${doctor.lastName}`)}
              </Typography>
            </li>
          );
        })}
      </Stack>
    </DialogFrame>
  );
}
