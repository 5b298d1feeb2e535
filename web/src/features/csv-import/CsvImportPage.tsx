import { Box } from '@mui/material';
import {
  type CsvColumns,
  getCsvColumns,
  getCsvProgress,
  listCsvImports,
  runningStates,
} from '@roomside/contract/csv-import/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { invalidate, readKey, useRead } from '../../api/use-call.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { MapStep } from './MapStep.tsx';
import { PastImports } from './PastImports.tsx';
import { Checked, DoneStep, Running } from './RunStep.tsx';
import { Steps } from './Step.tsx';
import { texts } from './texts.ts';
import { UploadStep } from './UploadStep.tsx';

/** How often the progress is read, ms. */
const pollMs = 700;
const isRunning = (state: string | undefined) => (runningStates as readonly (string | undefined)[]).includes(state);

/** /admin/csv-import (CSV-1 to CSV-5, STATE-28). The file of the wizard is in the address, so that a reload goes on where it was. */
export function CsvImportPage() {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const fileId = Number(params.get('file')) || undefined;
  const open = (id: number | undefined) => setParams(id === undefined ? {} : { file: String(id) }, { replace: true });
  const back = (
    <Button look="quiet" aria-label={texts.backLabel} onClick={() => void navigate(-1)}>
      {texts.back}
    </Button>
  );
  return (
    <Page title={texts.title} actions={back}>
      <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <Wizard fileId={fileId} onOpen={open} />
      </Box>
    </Page>
  );
}

interface WizardProps {
  fileId: number | undefined;
  onOpen: (fileId: number | undefined) => void;
}

function Wizard({ fileId, onOpen }: WizardProps) {
  const client = useQueryClient();
  const read = useRead(getCsvProgress, { query: fileId === undefined ? {} : { fileId } }, { staleTime: 0 });
  const { refetch } = read;
  const progress = read.data?.import ?? undefined;
  const state = progress?.state;
  const isLive = isRunning(state);
  const [isEditing, setEditing] = useState(false);
  const [isMoved, setMoved] = useState(false);

  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => void refetch(), pollMs);
    return () => clearInterval(timer);
  }, [isLive, refetch]);
  // What an import has changed is read again.
  useEffect(() => {
    if (state === 'done' || state === 'cancelled' || state === 'undone')
      void invalidate(client, [listPatients, listCsvImports]);
  }, [client, state]);
  // Without a file in the address: what runs in the company is shown. A file that is gone leads to the first step.
  const running = fileId === undefined ? progress?.fileId : undefined;
  const isGone = fileId !== undefined && read.data?.import === null;
  useEffect(() => {
    if (running !== undefined) onOpen(running);
    else if (isGone) onOpen(undefined);
  }, [running, isGone, onOpen]);

  const changed = () => {
    setMoved(true);
    void refetch();
  };
  function startOver() {
    setMoved(true);
    setEditing(false);
    onOpen(undefined);
  }
  function onUploaded(columns: CsvColumns) {
    const { fileId: id, definition } = columns;
    const { encoding, separator } = definition;
    client.setQueryData(readKey(getCsvColumns, { params: { fileId: id }, query: { encoding, separator } }), columns);
    setMoved(true);
    setEditing(false);
    onOpen(id);
  }
  if (read.error && !read.data) return <LoadError error={read.error} onRetry={() => void refetch()} />;
  if (!read.data) return <FormSkeleton sections={[3]} />;
  if (fileId === undefined || !progress) {
    return (
      <>
        <div>
          <Steps current={0} />
          <UploadStep follows={isMoved} onUploaded={onUploaded} />
        </div>
        <PastImports
          onOpen={(id) => {
            setMoved(true);
            onOpen(id);
          }}
        />
      </>
    );
  }
  const shown = { progress, follows: isMoved, onChanged: changed };
  return (
    <div>
      <Steps current={stepOf(progress.state)} />
      {progress.state === 'uploaded' || (progress.state === 'checked' && isEditing) ? (
        <MapStep
          key="map"
          fileId={fileId}
          follows={isMoved}
          onBack={startOver}
          onStarted={() => {
            setEditing(false);
            changed();
          }}
        />
      ) : isLive ? (
        <Running key={progress.state} {...shown} />
      ) : progress.state === 'checked' ? (
        <Checked key="checked" {...shown} onChangeFields={() => setEditing(true)} />
      ) : (
        <DoneStep key={progress.state} {...shown} onMore={startOver} />
      )}
    </div>
  );
}

/** STATE-28: the steps follow each other. The check belongs to the second one. */
function stepOf(state: string): number {
  return ['uploaded', 'checking', 'checked', 'importing'].includes(state) ? 1 : 2;
}
