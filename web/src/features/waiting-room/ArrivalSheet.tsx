import { Alert, Typography } from '@mui/material';
import type { ArrivalInfo } from '@roomside/contract/room/messages.ts';
import { useNavigate } from 'react-router';
import { useCompany } from '../../api/use-company.ts';
import { to } from '../../paths.ts';
import { formatTime, ownZone } from '../../time/time.ts';
import { BottomSheet } from '../../ui/BottomSheet.tsx';
import { Button } from '../../ui/Button.tsx';
import { texts } from './texts.ts';

/** CONST-4, ms. */
const shownMs = 10_000;

interface Props {
  /** Arrivals that were not dismissed; the first is shown. */
  arrivals: readonly ArrivalInfo[];
  onDone: (arrival: ArrivalInfo) => void;
}

/** ARRIVAL-1: one arrival after another. Takes no focus, so that typing is not interrupted. */
export function ArrivalSheet({ arrivals, onDone }: Props) {
  const navigate = useNavigate();
  const zone = useCompany()?.timeZone ?? ownZone();
  const [arrival, ...others] = arrivals;
  if (!arrival) return null;
  const { patient, doctor, startDate, appointmentUid, noCamera } = arrival;
  const leaveFor = (path: string) => {
    onDone(arrival);
    void navigate(path);
  };
  return (
    <BottomSheet
      key={appointmentUid}
      open
      modal={false}
      title={texts.sheet.title}
      closeAfter={shownMs}
      onClose={() => onDone(arrival)}
      actions={
        <>
          <Button look="primary" onClick={() => leaveFor(to.appointment({ uid: appointmentUid }))}>
            {texts.sheet.see}
          </Button>
          <Button look="secondary" onClick={() => leaveFor(to.waitingRoom())}>
            {texts.sheet.waitingRoom}
          </Button>
          <Button look="quiet" onClick={() => onDone(arrival)}>
            {texts.sheet.ignore}
          </Button>
        </>
      }
    >
      <div role="alert">
        <Typography sx={{ fontSize: 'var(--rs-size-xl)', fontWeight: 650 }}>
          {patient.firstName} {patient.lastName}
        </Typography>
        <Typography color="textSecondary">
          {texts.sheet.provider(`${doctor.firstName} ${doctor.lastName}`)}
          <br />
          {texts.sheet.time(formatTime(startDate, zone, ownZone()))}
        </Typography>
      </div>
      {noCamera && (
        <Alert severity="info" sx={{ mt: 1.5 }}>
          {texts.sheet.noCamera}
        </Alert>
      )}
      {others.length > 0 && (
        <Typography variant="body2" sx={{ mt: 1.5 }}>
          {texts.sheet.more(others.length)}
        </Typography>
      )}
    </BottomSheet>
  );
}
