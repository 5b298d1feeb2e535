import { Alert, Typography } from '@mui/material';
import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import {
  type CsvImport,
  type CsvProgress,
  cancelCsvImport,
  getCsvImport,
  getCsvProgress,
  listCsvImports,
  parseCsv,
  undoCsvImport,
} from '@roomside/contract/csv-import/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { listSchedule } from '@roomside/contract/schedule/calls.ts';
import { listRules } from '@roomside/contract/scheduling-rules/calls.ts';
import { type ReactNode, useEffect } from 'react';
import { useChange, useRead } from '../../api/use-call.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { choose, confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { kindTexts } from './kind-texts.ts';
import { Counts, WrongRows } from './Outcome.tsx';
import { Bar, Note, Step, Tools } from './Step.tsx';
import { texts } from './texts.ts';

interface Props {
  progress: CsvProgress;
  follows: boolean;
  onChanged: () => void;
}

/** Whose file it is: administrators of a clinic see each other's imports. */
function About({ of }: { of: CsvImport }) {
  const { fileName, by, uploadedAt } = of;
  return (
    <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
      <strong>{fileName}</strong> ·{' '}
      {texts.pastBy(`${by.firstName} ${by.lastName}`, formatDateTime(uploadedAt, ownZone()))}
    </Typography>
  );
}

/** The import of a step. What was read in an earlier state is not shown; until it is read again, there is a `placeholder`. */
function useImport(
  progress: CsvProgress,
  onChanged: () => void,
): { found: CsvImport | undefined; placeholder: ReactNode } {
  const { fileId, state } = progress;
  const read = useRead(getCsvImport, { params: { fileId } }, { staleTime: 0 });
  const { data, error, isFetching } = read;
  const isNewer = data !== undefined && data.state !== state && !isFetching && !error;
  // Another administrator has gone on with it: the page follows.
  useEffect(() => {
    if (isNewer) onChanged();
  }, [isNewer, onChanged]);
  const found = data?.state === state ? data : undefined;
  const placeholder =
    error && !isFetching ? (
      <LoadError error={error} onRetry={() => void read.refetch()} />
    ) : (
      <FormSkeleton sections={[4]} />
    );
  return { found, placeholder };
}

/** What a worker does with the file. */
export function Running({ progress, follows, onChanged }: Props) {
  const { state, percent, fileId, type } = progress;
  const words = kindTexts[type];
  const about = useRead(getCsvImport, { params: { fileId } });
  const cancel = useChange(cancelCsvImport, {
    invalidates: [getCsvProgress],
    success: texts.stopped,
    onSuccess: onChanged,
  });
  const params = { fileId };
  async function stopImport() {
    const choices = [
      { value: 'go-on', label: texts.goOn, look: 'quiet' },
      { value: 'remove', label: texts.stopRemove, look: 'danger-primary' },
      { value: 'keep', label: texts.stopKeep, look: 'primary' },
    ] as const;
    const details = [words.cancelKeep, words.cancelRemove];
    const answer = await choose<'go-on' | 'remove' | 'keep'>({ text: texts.cancelQuestion, details, choices });
    if (answer === 'keep' || answer === 'remove') cancel.mutate({ params, body: { keep: answer === 'keep' } });
  }
  const shown = {
    checking: [texts.steps[1], texts.checking(percent), words.checkText],
    importing: [texts.steps[1], texts.importing(percent), texts.importText],
    undoing: [texts.steps[2], texts.undoing(percent), words.undoText],
  }[state as 'checking' | 'importing' | 'undoing'];
  const [title = '', text = '', note = ''] = shown;
  return (
    <Step title={title} follows={follows}>
      {about.data && <About of={about.data} />}
      <div role="status">
        <Bar text={text} label={texts.progress} percent={percent} />
      </div>
      <Note>{note}</Note>
      {state !== 'undoing' && <Counts of={progress} />}
      <Tools>
        {state === 'checking' && (
          <Button look="secondary" onClick={() => cancel.mutate({ params, body: { keep: false } })}>
            {texts.cancelCheck}
          </Button>
        )}
        {state === 'importing' && (
          <Button look="secondary" disabled={cancel.isPending} onClick={() => void stopImport()}>
            {texts.cancelImport}
          </Button>
        )}
      </Tools>
    </Step>
  );
}

interface CheckedProps extends Props {
  onChangeFields: () => void;
}

/** What the import will do, before it does it. */
export function Checked({ progress, follows, onChanged, onChangeFields }: CheckedProps) {
  const { found, placeholder } = useImport(progress, onChanged);
  const start = useChange(parseCsv, { invalidates: [getCsvProgress], onSuccess: onChanged });
  if (!found) return placeholder;
  const count = found.created + found.updated + found.unchanged;
  return (
    <Step title={texts.checked} follows={follows}>
      <About of={found} />
      <Note>{texts.checkedText}</Note>
      <Counts of={found} />
      {found.isCutOff && <Alert severity="warning">{texts.cutOff}</Alert>}
      {count === 0 && <Alert severity="error">{texts.nothing}</Alert>}
      <WrongRows of={found} headers={headersOf(found)} />
      <Tools>
        <Button look="quiet" onClick={onChangeFields}>
          {texts.change}
        </Button>
        {count > 0 && (
          <Button look="primary" disabled={start.isPending} onClick={() => start.mutate({ body: found.definition })}>
            {texts.startImport(kindTexts[found.type].things(count))}
          </Button>
        )}
      </Tools>
    </Step>
  );
}

/** The fields' names, since the columns' are not read again. */
const headersOf =
  ({ definition }: CsvImport) =>
  (columnIdx: number) =>
    definition.fields
      .filter((field) => field.columnIdx === columnIdx)
      .map(({ name, description }) => description ?? name)
      .join(', ') || texts.column(columnIdx + 1);

/** CSV-4. */
export function DoneStep({ progress, follows, onChanged, onMore }: Props & { onMore: () => void }) {
  const { found: done, placeholder } = useImport(progress, onChanged);
  const undo = useUndo(onChanged);
  const { see } = kindTexts[progress.type];
  if (!done) return placeholder;
  const { undoUntil } = done;
  const isRest = done.state === 'undone';
  return (
    <Step title={texts.steps[2]} follows={follows}>
      <About of={done} />
      <End of={done} />
      {!isRest && done.rows > 0 && <Counts of={done} />}
      {!isRest && <WrongRows of={done} headers={headersOf(done)} />}
      {undoUntil !== null && (
        <Note>{(isRest ? texts.undoRestUntil : texts.undoUntil)(formatDateTime(undoUntil, ownZone()))}</Note>
      )}
      <Tools>
        <Button look="primary" onClick={onMore}>
          {texts.uploadMore}
        </Button>
        <Button look="secondary" to={see.path}>
          {see.label}
        </Button>
        {undoUntil !== null && (
          <Button look="danger" onClick={() => void undo(done)}>
            {isRest ? texts.undoRest : texts.undo}
          </Button>
        )}
      </Tools>
    </Step>
  );
}

function End({ of }: { of: CsvImport }) {
  const uploaded = texts.done(of.created + of.updated + of.unchanged);
  switch (of.state) {
    case 'undone':
      return (
        <Alert severity="info" role="status">
          {kindTexts[of.type].undone(of.created + of.updated - of.kept, of.kept)}
        </Alert>
      );
    case 'cancelled':
      return (
        <Alert severity="info" role="status">
          {uploaded}. {texts.cancelled}
        </Alert>
      );
    case 'failed':
      return (
        <Alert severity="error" role="status">
          {of.rows === 0 ? texts.checkFailed : `${uploaded}. ${texts.failed}`}
        </Alert>
      );
    default:
      return (
        <Alert severity="success" role="status">
          {uploaded}
        </Alert>
      );
  }
}

/** Returns a function that undoes an import, after a question. */
export function useUndo(onStarted: (fileId: number) => void): (of: CsvProgress) => Promise<void> {
  const undo = useChange(undoCsvImport, {
    invalidates: [
      getCsvProgress,
      getCsvImport,
      listCsvImports,
      listPatients,
      listAppointments,
      listSchedule,
      listRules,
    ],
    onSuccess: (_result, { params }) => onStarted(params.fileId),
  });
  return async ({ fileId, type }) => {
    const { undoDetails: details } = kindTexts[type];
    const question = { text: texts.undoQuestion, details, yes: texts.undo, no: texts.keepImport };
    if (await confirm({ ...question, danger: true })) undo.mutate({ params: { fileId } });
  };
}
