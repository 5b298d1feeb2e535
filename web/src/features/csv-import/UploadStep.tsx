import UploadIcon from '@mui/icons-material/UploadFileOutlined';
import { Alert, Box } from '@mui/material';
import { type CsvColumns, maxCsvBytes, uploadCsv } from '@roomside/contract/csv-import/calls.ts';
import type { ImportType } from '@roomside/contract/csv-import/fields.ts';
import { useEffect, useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { sendUpload } from '../../api/send-upload.ts';
import { Button } from '../../ui/Button.tsx';
import { formatBytes } from '../files/format-bytes.ts';
import { useDroppedFiles } from '../files/use-dropped-files.ts';
import { kindTexts } from './kind-texts.ts';
import { Bar, Note, Step, Tools } from './Step.tsx';
import { texts } from './texts.ts';

interface Props {
  type: ImportType;
  follows: boolean;
  onUploaded: (columns: CsvColumns) => void;
}

/** CSV-2: a file is chosen or dropped, and sent. A failed upload resets the bar (ERROR-10). */
export function UploadStep({ type, follows, onUploaded }: Props) {
  const [sending, setSending] = useState<{ name: string; percent: number }>();
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  async function take(files: readonly File[]) {
    const [file] = files;
    if (!file || sending) return;
    const why = files.length > 1 ? texts.oneFile : whyRefused(file);
    setProblem(why);
    if (why !== undefined) return;
    const control = new AbortController();
    stop.current = control;
    setSending({ name: file.name, percent: 0 });
    const form = new FormData();
    form.append('file', file);
    try {
      const onProgress = (sent: number, total: number) =>
        setSending({ name: file.name, percent: Math.floor((sent / Math.max(1, total)) * 100) });
      onUploaded(
        await sendUpload(uploadCsv, { query: { type }, content: form }, { onProgress, signal: control.signal }),
      );
    } catch (error) {
      if (!control.signal.aborted) setProblem(wordsFor(error));
    }
    setSending(undefined);
  }

  const isOver = useDroppedFiles((files) => void take(files));
  return (
    <Step title={texts.steps[0]} follows={follows}>
      <Note>{kindTexts[type].uploadText}</Note>
      {problem !== undefined && <Alert severity="error">{problem}</Alert>}
      {sending ? (
        <>
          <Bar text={texts.uploading(sending.name)} label={texts.uploadProgress} percent={sending.percent} />
          <Tools>
            <Button look="secondary" onClick={() => stop.current?.abort()}>
              {texts.stopUpload}
            </Button>
          </Tools>
        </>
      ) : (
        <Box className="csv-drop" {...(isOver && { 'data-over': true })}>
          <UploadIcon fontSize="inherit" aria-hidden="true" />
          <Button look="primary" onClick={() => input.current?.click()}>
            {texts.choose}
          </Button>
          <span>{isOver ? texts.dropNow : texts.orDrop}</span>
          <input
            ref={input}
            type="file"
            accept=".csv,text/csv"
            hidden
            onChange={(event) => {
              const files = [...(event.target.files ?? [])];
              // The same file can be chosen again.
              event.target.value = '';
              void take(files);
            }}
          />
        </Box>
      )}
    </Step>
  );
}

/** VALID-29. */
function whyRefused({ name, size }: File): string | undefined {
  if (!/\.csv$/i.test(name)) return texts.onlyCsv;
  if (size > maxCsvBytes) return texts.tooLarge(formatBytes(maxCsvBytes));
  return size === 0 ? texts.emptyFile : undefined;
}
