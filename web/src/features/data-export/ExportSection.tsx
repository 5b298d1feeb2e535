import { Alert, Box, LinearProgress, Skeleton, Typography } from '@mui/material';
import {
  cancelDataExport,
  type DataExport,
  getDataExport,
  openDataExport,
  startDataExport,
} from '@roomside/contract/data-export/calls.ts';
import type { ReactNode } from 'react';
import { send } from '../../api/send.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { useRepeated } from '../../api/use-repeated.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { type Confirmed, useConfirmed } from '../account-security/use-confirmed.tsx';
import { formatBytes } from '../files/format-bytes.ts';
import { texts } from './texts.ts';

/** How often the progress is read, ms. */
const pollMs = 2_000;
const timeOf = (instant: string | null) => (instant === null ? '' : formatDateTime(instant, ownZone()));

/** The export of all data: starts it, shows its progress, and downloads it once. */
export function ExportSection() {
  const read = useRead(getDataExport, undefined, { staleTime: 0 });
  const { run, dialog } = useConfirmed();
  const { refetch } = read;
  const last = read.data?.export;
  const isLive = last?.state === 'queued' || last?.state === 'running' || last?.state === 'ready';
  useRepeated(isLive, pollMs, async () => void (await refetch()));
  const onChange = () => void refetch();
  return (
    <Section title={texts.section}>
      <Typography variant="body2" color="textSecondary">
        {texts.text}
      </Typography>
      {read.data ? (
        <State last={last ?? null} run={run} onChange={onChange} />
      ) : read.error ? (
        <LoadError error={read.error} onRetry={onChange} />
      ) : (
        <Skeleton variant="rounded" height={44} />
      )}
      {dialog}
    </Section>
  );
}

interface Props {
  run: Confirmed['run'];
  onChange: () => void;
}

function State({ last, ...props }: Props & { last: DataExport | null }) {
  switch (last?.state) {
    case 'queued':
    case 'running':
      return <Running last={last} {...props} />;
    case 'ready':
      return <Ready last={last} {...props} />;
    default:
      return <Start last={last} {...props} />;
  }
}

function Start({ last, run, onChange }: Props & { last: DataExport | null }) {
  async function start() {
    const question = { text: texts.question, details: [texts.questionDetail], yes: texts.start, no: texts.cancel };
    if (!(await confirm(question))) return;
    await run(() => send(startDataExport));
    onChange();
  }
  return (
    <>
      {last && (
        <Alert severity={last.state === 'failed' ? 'error' : 'info'} role="status">
          {lastText(last)}
        </Alert>
      )}
      <Tools>
        <Button look="primary" onClick={() => void start()}>
          {texts.start}
        </Button>
      </Tools>
    </>
  );
}

function lastText({ state, downloadedAt }: DataExport): string {
  if (state === 'downloaded') return texts.last.downloaded(timeOf(downloadedAt));
  return state === 'cancelled' || state === 'expired' ? texts.last[state] : texts.last.failed;
}

function Running({ last, onChange }: Props & { last: DataExport }) {
  const end = useEnd(last, onChange, texts.stopped);
  async function stop() {
    const question = { text: texts.stopQuestion, details: [texts.stopDetail], yes: texts.stop, no: texts.keep };
    if (await confirm({ ...question, danger: true })) end();
  }
  const { rowsDone, rowsTotal, bytesDone, bytesTotal, percent } = last;
  const isCounted = rowsTotal > 0;
  return (
    <>
      <Box>
        <Typography role="status">{isCounted ? texts.running(percent) : texts.queued}</Typography>
        <LinearProgress
          aria-label={texts.progress}
          sx={{ my: 1 }}
          {...(isCounted && { variant: 'determinate', value: percent })}
        />
        <Typography variant="body2" color="textSecondary">
          {isCounted && texts.amounts(rowsDone, rowsTotal, formatBytes(bytesDone), formatBytes(bytesTotal))}
        </Typography>
      </Box>
      <Typography variant="body2" color="textSecondary">
        {requestText(last)} {texts.leave}
      </Typography>
      <Tools>
        <Button look="secondary" onClick={() => void stop()}>
          {texts.stop}
        </Button>
      </Tools>
    </>
  );
}

function Ready({ last, run, onChange }: Props & { last: DataExport }) {
  const end = useEnd(last, onChange, texts.removed);
  async function download() {
    const opened = await run(() => send(openDataExport, { params: { exportId: last.exportId } }));
    if (!opened) return onChange();
    const link = document.createElement('a');
    link.href = opened.result.address;
    link.download = '';
    link.click();
    toast.success(texts.downloading);
  }
  async function remove() {
    const question = { text: texts.removeQuestion, details: [texts.removeDetail], yes: texts.remove, no: texts.cancel };
    if (await confirm({ ...question, danger: true })) end();
  }
  return (
    <>
      <Alert severity="success" role="status">
        {texts.ready(formatBytes(last.size ?? 0))} {texts.once(timeOf(last.expiresAt))}
      </Alert>
      <Typography variant="body2" color="textSecondary">
        {requestText(last)}
      </Typography>
      <Tools>
        <Button look="primary" onClick={() => void download()}>
          {texts.download}
        </Button>
        <Button look="danger" onClick={() => void remove()}>
          {texts.remove}
        </Button>
      </Tools>
    </>
  );
}

/** Cancels a running export, or deletes its archive. */
function useEnd({ exportId }: DataExport, onChange: () => void, success: string): () => void {
  const end = useChange(cancelDataExport, { success, onSuccess: onChange });
  return () => end.mutate({ params: { exportId } });
}

const requestText = ({ requestedBy: { firstName, lastName }, requestedAt }: DataExport) =>
  texts.by(`${firstName} ${lastName}`, timeOf(requestedAt));

function Tools({ children }: { children: ReactNode }) {
  return <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>{children}</Box>;
}
