import ArrowBackIcon from '@mui/icons-material/ArrowBack';
import PhotoLibraryOutlinedIcon from '@mui/icons-material/PhotoLibraryOutlined';
import { Skeleton } from '@mui/material';
import { getPatient } from '@roomside/contract/patients/calls.ts';
import { listPhotos, type Photo } from '@roomside/contract/photos/calls.ts';
import { useRef } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { PageButton } from './PageButton.tsx';
import { texts } from './texts.ts';
import './photos.css';

/** /photo-list/{patient} (PHOTO-1). */
export function PhotoListPage() {
  const { patient = '' } = useParams();
  if (!/^\d{1,15}$/.test(patient)) return <Navigate to={to.notFound()} replace />;
  return <PhotoList key={patient} patientId={Number(patient)} />;
}

function PhotoList({ patientId }: { patientId: number }) {
  const patient = useRead(getPatient, { params: { patientId } }).data;
  const photos = useRead(listPhotos, { params: { patientId } }, { staleTime: 0 });
  const refreshed = useRef(0);

  /** The addresses of images expire: reads them again, once for those of one result. */
  function onBroken() {
    if (refreshed.current === photos.dataUpdatedAt) return;
    refreshed.current = photos.dataUpdatedAt;
    void photos.refetch();
  }

  return (
    <Page
      title={patient ? texts.of(`${patient.firstName} ${patient.lastName}`) : texts.title}
      documentTitle={texts.title}
      actions={
        <PageButton look="quiet" icon={<ArrowBackIcon />} label={texts.back} to={to.patientEdit({ id: patientId })} />
      }
    >
      {photos.data ? (
        <Thumbnails photos={photos.data.data} onBroken={onBroken} />
      ) : photos.error ? (
        <LoadError error={photos.error} onRetry={() => void photos.refetch()} />
      ) : (
        <div className="photos" role="status" aria-label={uiTexts.loading}>
          {Array.from({ length: 5 }, (_, index) => (
            <Skeleton key={index} variant="rounded" className="photos-tile" />
          ))}
        </div>
      )}
    </Page>
  );
}

function Thumbnails({ photos, onBroken }: { photos: readonly Photo[]; onBroken: () => void }) {
  const zone = useCompany()?.timeZone ?? ownZone();
  if (photos.length === 0) {
    return <EmptyState icon={<PhotoLibraryOutlinedIcon />} text={texts.empty} hint={texts.emptyHint} />;
  }
  return (
    <ul className="photos">
      {photos.map(({ fileUid, patientId: patient, uploaded, address }) => {
        const when = formatDateTime(uploaded, zone, ownZone());
        return (
          <li key={fileUid}>
            <Link to={to.photo({ patient, uid: fileUid })} className="photos-link">
              <img
                className="photos-tile"
                src={address}
                alt={texts.taken(when)}
                loading="lazy"
                decoding="async"
                onError={onBroken}
              />
              <span aria-hidden="true">{when}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
