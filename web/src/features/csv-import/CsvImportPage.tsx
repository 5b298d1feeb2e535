import { Box, Tab, Tabs } from '@mui/material';
import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import {
  type CsvColumns,
  getCsvColumns,
  getCsvProgress,
  listCsvImports,
  runningStates,
} from '@roomside/contract/csv-import/calls.ts';
import { type ImportType, importTypes } from '@roomside/contract/csv-import/fields.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { listSchedule } from '@roomside/contract/schedule/calls.ts';
import { listRules } from '@roomside/contract/scheduling-rules/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { invalidate, readKey, useRead } from '../../api/use-call.ts';
import { useRepeated } from '../../api/use-repeated.ts';
import { useGoBack } from '../../go-back.ts';
import { to } from '../../paths.ts';
import { Button } from '../../ui/Button.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { ExportSection } from './ExportSection.tsx';
import { importPath, kindTexts, typeOf } from './kind-texts.ts';
import { MapStep } from './MapStep.tsx';
import { PastImports } from './PastImports.tsx';
import { Checked, DoneStep, Running } from './RunStep.tsx';
import { Steps } from './Step.tsx';
import { texts } from './texts.ts';
import { UploadStep } from './UploadStep.tsx';

/** How often the progress is read, ms. */
const pollMs = 700;
const isRunning = (state: string | undefined) => (runningStates as readonly (string | undefined)[]).includes(state);

/**
 * /admin/csv-import (CSV-1 to CSV-5, STATE-28). The file of the wizard and what is imported are in the address, so that a reload goes on where it
 * was; without them, patients are imported.
 */
export function CsvImportPage() {
  const goBack = useGoBack(to.adminHome());
  const [params, setParams] = useSearchParams();
  const fileId = Number(params.get('file')) || undefined;
  const type = typeOf(params.get('kind'));
  const open = (id: number | undefined, opened: ImportType = type) => {
    const { param: kind } = kindTexts[opened];
    setParams({ ...(kind && { kind }), ...(id !== undefined && { file: String(id) }) }, { replace: true });
  };
  const back = (
    <Button look="quiet" aria-label={texts.backLabel} onClick={() => void goBack()}>
      {texts.back}
    </Button>
  );
  return (
    <Page title={kindTexts[type].title} actions={back}>
      <Tabs value={type} component="nav" aria-label={texts.tabs} sx={{ mb: 2 }}>
        {importTypes.map((one) => (
          <Tab key={one} value={one} label={kindTexts[one].tab} component={Link} to={importPath(one)} />
        ))}
      </Tabs>
      <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <Wizard key={type} type={type} fileId={fileId} onOpen={open} />
      </Box>
    </Page>
  );
}

interface WizardProps {
  type: ImportType;
  fileId: number | undefined;
  onOpen: (fileId: number | undefined, type?: ImportType) => void;
}

function Wizard({ type, fileId, onOpen }: WizardProps) {
  const client = useQueryClient();
  const read = useRead(getCsvProgress, { query: fileId === undefined ? {} : { fileId } }, { staleTime: 0 });
  const { refetch } = read;
  const progress = read.data?.import ?? undefined;
  const state = progress?.state;
  const isLive = isRunning(state);
  /** The file whose fields are changed after its check. */
  const [editing, setEditing] = useState<number>();
  const [isMoved, setMoved] = useState(false);

  useRepeated(isLive, pollMs, async () => void (await refetch()));
  // What an import has changed is read again.
  useEffect(() => {
    if (state === 'done' || state === 'cancelled' || state === 'undone')
      void invalidate(client, [listPatients, listAppointments, listSchedule, listRules, listCsvImports]);
  }, [client, state]);
  // Without a file in the address: what runs in the company is shown, if it runs when the page is opened. What another administrator starts
  // later does not take away what this one uploads. A file that is gone leads to the first step.
  const [isOpened, setOpened] = useState(fileId !== undefined);
  const isFirst = fileId === undefined && !isOpened && !read.isFetching && read.data !== undefined;
  const isOther = fileId === undefined ? isFirst : progress?.type !== type;
  const running = progress && isOther ? progress.fileId : undefined;
  const runningType = progress?.type;
  const isGone = fileId !== undefined && read.data?.import === null;
  useEffect(() => {
    if (running !== undefined) onOpen(running, runningType);
    else if (isGone) onOpen(undefined);
    if (isFirst) setOpened(true);
  }, [running, runningType, isGone, isFirst, onOpen]);

  const changed = useCallback(() => {
    setMoved(true);
    void refetch();
  }, [refetch]);
  function startOver() {
    setMoved(true);
    onOpen(undefined);
  }
  function onUploaded(columns: CsvColumns) {
    const { fileId: id, definition } = columns;
    const { encoding, separator } = definition;
    client.setQueryData(readKey(getCsvColumns, { params: { fileId: id }, query: { encoding, separator } }), columns);
    setMoved(true);
    onOpen(id);
  }
  if (read.error && !read.data) return <LoadError error={read.error} onRetry={() => void refetch()} />;
  if (!read.data) return <FormSkeleton sections={[3]} />;
  if (fileId === undefined || !progress) {
    return (
      <>
        <div>
          <Steps current={0} />
          <UploadStep type={type} follows={isMoved} onUploaded={onUploaded} />
        </div>
        <ExportSection type={type} />
        <PastImports
          onOpen={(id, opened) => {
            setMoved(true);
            onOpen(id, opened);
          }}
        />
      </>
    );
  }
  const shown = { progress, follows: isMoved, onChanged: changed };
  return (
    <div>
      <Steps current={stepOf(progress.state)} />
      {progress.state === 'uploaded' || (progress.state === 'checked' && editing === fileId) ? (
        <MapStep
          key="map"
          fileId={fileId}
          follows={isMoved}
          onBack={startOver}
          onStarted={() => {
            setEditing(undefined);
            changed();
          }}
        />
      ) : isLive ? (
        <Running key={progress.state} {...shown} />
      ) : progress.state === 'checked' ? (
        <Checked key="checked" {...shown} onChangeFields={() => setEditing(fileId)} />
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
