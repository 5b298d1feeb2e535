import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  Link,
  Stack,
  Typography,
} from '@mui/material';
import type { OutsideVisit } from '@roomside/contract/appointments/outside-visit.ts';
import { Link as RouterLink } from 'react-router';
import { useCompany } from '../../api/use-company.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { texts } from './texts.ts';

const words = texts.outside;

interface Props {
  /** Undefined = closed. */
  visits: readonly OutsideVisit[] | undefined;
  title?: string;
  onClose: () => void;
}

/** Booked appointments that are now outside of the schedule, each with a link to move it. */
export function OutsideVisitsDialog({ visits, title, onClose }: Props) {
  const zone = useCompany()?.timeZone ?? ownZone();
  if (!visits) return null;
  return (
    <Dialog open onClose={onClose} aria-labelledby="outside-title" fullWidth maxWidth="sm">
      <DialogTitle id="outside-title">{title ?? words.title(visits.length)}</DialogTitle>
      <DialogContent>
        <DialogContentText>{words.text}</DialogContentText>
        <Stack component="ul" sx={{ listStyle: 'none', p: 0, m: 0, mt: 2, gap: 1.5 }}>
          {visits.map((visit) => {
            const { appointmentId, patientId, patient, doctor, startDate } = visit;
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
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {words.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
