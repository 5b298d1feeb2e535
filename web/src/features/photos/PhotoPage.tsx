import ArrowBackIcon from '@mui/icons-material/ArrowBack';
import DeleteOutlineIcon from '@mui/icons-material/DeleteOutlined';
import { Skeleton } from '@mui/material';
import { normalizeUid } from '@roomside/contract/normalize-uid.ts';
import { deletePhoto, downloadPhoto, getPhoto, listPhotos, type Photo } from '@roomside/contract/photos/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { Navigate, useParams } from 'react-router';
import { wordsFor } from '../../api/errors.ts';
import { saveFile, sendForFile } from '../../api/send.ts';
import { readKey, useChange, useRead } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import { useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { confirm, openQuestions } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { texts as uiTexts } from '../../ui/texts.ts';
import { toast } from '../../ui/toast.ts';
import { PageButton } from './PageButton.tsx';
import { PhotoStage } from './PhotoStage.tsx';
import { texts } from './texts.ts';
import './photos.css';

/** /photo/{patient}/{uid} (PHOTO-2). */
export function PhotoPage() {
  const { patient = '', uid = '' } = useParams();
  if (!/^\d{1,15}$/.test(patient)) return <Navigate to={to.notFound()} replace />;
  return <OnePhoto patient={Number(patient)} fileUid={normalizeUid(uid)} />;
}

function OnePhoto({ patient, fileUid }: { patient: number; fileUid: string }) {
  const navigate = useNavigateAfterCall();
  const zone = useCompany()?.timeZone ?? ownZone();
  const read = useRead(getPhoto, { params: { fileUid } }, { staleTime: 0, keepPrevious: true });
  // The photo before is shown until this one is known.
  const photo = read.data;
  const takenAt = ({ uploaded }: Photo) => texts.taken(formatDateTime(uploaded, zone, ownZone()));
  const list = to.photoList({ patient });
  const client = useQueryClient();
  const remove = useChange(deletePhoto, {
    success: texts.deleted,
    // The list that was read before would still show it.
    onSuccess: () => client.removeQueries({ queryKey: readKey(listPhotos) }),
  });

  // Leafing through the photos is no step in the history: Back of the browser leads to the list.
  const open = (uid: string | null | undefined) => {
    if (uid) void navigate(to.photo({ patient, uid }), { replace: true });
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || openQuestions.get().length > 0) return;
    if (event.key === 'ArrowLeft') open(photo?.previous);
    if (event.key === 'ArrowRight') open(photo?.next);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);

  async function askAndDelete() {
    const details = photo ? [takenAt(photo)] : [];
    const question = { text: texts.deleteQuestion, details, yes: texts.delete, no: texts.cancel };
    if (!(await confirm({ ...question, danger: true }))) return;
    await remove.mutateAsync({ params: { fileUid } });
    const other = photo?.next ?? photo?.previous;
    if (other) open(other);
    else await navigate(list, { replace: true });
  }

  async function download(shown: Photo) {
    try {
      const { blob } = await sendForFile(downloadPhoto, { params: { fileUid: shown.fileUid } });
      saveFile({ blob, name: shown.name });
    } catch (error) {
      toast.error(wordsFor(error));
    }
  }

  if (photo && photo.patientId !== patient) return <Navigate to={to.notFound()} replace />;
  return (
    <Page
      title={photo ? formatDateTime(photo.uploaded, zone, ownZone()) : texts.photo}
      documentTitle={texts.photo}
      actions={
        <>
          <PageButton look="quiet" icon={<ArrowBackIcon />} label={texts.back} to={list} />
          {photo?.fileUid === fileUid && (
            <PageButton
              look="danger"
              icon={<DeleteOutlineIcon />}
              label={texts.delete}
              loading={remove.isPending}
              onClick={() => void askAndDelete().catch(() => undefined)}
            />
          )}
        </>
      }
    >
      {photo ? (
        <PhotoStage
          key={photo.fileUid}
          address={photo.address}
          label={takenAt(photo)}
          onPrevious={photo.previous ? () => open(photo.previous) : undefined}
          onNext={photo.next ? () => open(photo.next) : undefined}
          onReload={() => void read.refetch()}
          onDownload={() => void download(photo)}
        />
      ) : read.error ? (
        <LoadError error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <div role="status" aria-label={uiTexts.loading}>
          <Skeleton variant="rounded" className="photo-stage" />
        </div>
      )}
    </Page>
  );
}
