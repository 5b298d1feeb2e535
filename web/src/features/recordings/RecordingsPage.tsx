import VideoLibraryIcon from '@mui/icons-material/VideoLibraryOutlined';
import { listRecordings } from '@roomside/contract/recordings/calls.ts';
import { useEffect } from 'react';
import { Navigate, useParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { CardsSkeleton } from '../../ui/Skeletons.tsx';
import { removeDownloads } from './download-file.ts';
import { texts } from './texts.ts';
import { Viewer } from './Viewer.tsx';

/** Addresses of segments expire after ten minutes; new ones are read before, ms. */
const refetchIntervalMs = 8 * 60_000;

/** /recordings/{id}: plays the recordings of an appointment (REC-1, ROUTE-5). */
export function RecordingsPage() {
  const { id = '' } = useParams();
  if (!/^\d{1,15}$/.test(id)) return <Navigate to={to.notFound()} replace />;
  return <Loaded key={id} appointmentId={Number(id)} />;
}

function Loaded({ appointmentId }: { appointmentId: number }) {
  useEffect(() => void removeDownloads(), []);
  const read = useRead(
    listRecordings,
    { params: { appointmentId } },
    { staleTime: 0, refetchInterval: refetchIntervalMs },
  );
  const result = read.isFetchedAfterMount ? read.data : undefined;
  if (!result) {
    return (
      <Page title={texts.loadingTitle}>
        {read.error ? (
          <LoadError error={read.error} onRetry={() => void read.refetch()} />
        ) : (
          <CardsSkeleton cards={2} />
        )}
      </Page>
    );
  }
  const { appointment, data } = result;
  const { firstName, lastName } = appointment.patient;
  const when = formatDateTime(appointment.startDate, appointment.timeZone, ownZone());
  const back = to.appointmentEdit({ patient: appointment.patientId, id: appointmentId });
  return (
    <Page title={texts.title(`${firstName} ${lastName}`, when)} documentTitle={texts.documentTitle}>
      {data.length === 0 ? (
        <EmptyState
          icon={<VideoLibraryIcon />}
          text={texts.empty}
          hint={texts.emptyHint}
          action={
            <Button look="secondary" to={back}>
              {texts.back}
            </Button>
          }
        />
      ) : (
        <Viewer
          appointmentId={appointmentId}
          recordings={data}
          timeZone={appointment.timeZone}
          back={back}
          onExpired={() => void read.refetch()}
        />
      )}
    </Page>
  );
}
