import { Button } from '../../../ui/Button.tsx';
import { DialogFrame } from '../../../ui/DialogFrame.tsx';
import type { VisitRecording } from '../recording/create-recording.ts';
import { texts } from './recording-texts.ts';
import { useStore } from './use-room.ts';
import './recording.css';

type Part = { recording: VisitRecording };

/** STATE-18: everyone in the room sees that it is recorded, or was. */
export function RecordingSign({ recording }: Part) {
  const { status, recorded } = useStore(recording.view).state;
  const isQuiet = status === 'off';
  if (isQuiet && !recorded) return null;
  const text = status === 'running' ? texts.sign : status === 'asking' ? texts.signAsking : texts.recorded;
  return (
    <p className="room-recording" role="status" data-status={status} title={isQuiet ? texts.recordedLong : undefined}>
      <span className="room-recording-dot" aria-hidden="true" />
      {text}
    </p>
  );
}

/** ROOM-3: the progress of this page's uploads. */
export function UploadProgress({ recording }: Part) {
  const { status, left, sent, total } = useStore(recording.uploads);
  if (left === 0) return null;
  const percent = total > 0 ? Math.min(99, Math.floor((sent / total) * 100)) : 0;
  const isUploading = status === 'uploading';
  const long = isUploading ? texts.uploading(percent) : status === 'retrying' ? texts.retries : texts.waits;
  const short = isUploading
    ? texts.uploadShort(percent)
    : status === 'retrying'
      ? texts.retriesShort
      : texts.waitsShort;
  return (
    <div className="room-upload" title={long} data-status={status}>
      <span className="room-upload-text">{short}</span>
      <progress max={100} value={percent} aria-label={long} />
    </div>
  );
}

/** Asks this person whether they may be recorded. There is no way around an answer, and nothing is recorded before it. */
export function ConsentDialog({ recording, isPatient }: Part & { isPatient: boolean }) {
  const { question } = useStore(recording.view);
  if (!question) return null;
  const { byProvider, byColleague, note, allow, refuse } = texts.question;
  return (
    <DialogFrame
      isAlert
      title={isPatient ? byProvider : byColleague(question.name)}
      text={note}
      actions={
        <>
          <Button look="quiet" sx={target} onClick={() => void recording.answer(false)}>
            {refuse}
          </Button>
          <Button look="primary" sx={target} onClick={() => void recording.answer(true)}>
            {allow}
          </Button>
        </>
      }
    />
  );
}

/** Patients press it on a phone. */
const target = { minHeight: 44 };
