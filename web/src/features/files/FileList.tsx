import CheckIcon from '@mui/icons-material/Check';
import CloseIcon from '@mui/icons-material/Close';
import DeleteOutlineIcon from '@mui/icons-material/DeleteOutlined';
import FileIcon from '@mui/icons-material/DescriptionOutlined';
import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import ImageIcon from '@mui/icons-material/ImageOutlined';
import PdfIcon from '@mui/icons-material/PictureAsPdfOutlined';
import UploadIcon from '@mui/icons-material/UploadFileOutlined';
import VideoIcon from '@mui/icons-material/VideoFileOutlined';
import { type AppointmentFile, deleteFile, listFiles, shareFiles } from '@roomside/contract/files/calls.ts';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { useChange } from '../../api/use-call.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import type { FileUpload, FileUploads } from './file-uploads.ts';
import { formatBytes } from './format-bytes.ts';
import { texts } from './texts.ts';
import { type UploadsOf, useUploads } from './uploads-of.ts';
import { type FilesOf, useFiles } from './use-files.ts';
import './files.css';

/** The files of an appointment and their uploads, for staff (APPT-4, CALL-15, STATE-26). */
export function StaffFiles({ appointmentId, patientId, session }: FilesOf & UploadsOf) {
  const uploads = useUploads({ appointmentId, patientId });
  const shownUploads = useSyncExternalStore(uploads.subscribe, uploads.get);
  const read = useFiles({ appointmentId, session });
  const files = read.data?.data;
  useEffect(() => {
    if (files) uploads.settle(files);
  }, [files, uploads]);
  const input = useRef<HTMLInputElement>(null);
  const isEmpty = files?.length === 0 && shownUploads.length === 0;
  return (
    <div className="files">
      <div className="files-add">
        <button type="button" className="files-upload" onClick={() => input.current?.click()}>
          <UploadIcon fontSize="small" />
          {texts.upload}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={texts.upload}
          onChange={({ target }) => {
            uploads.add([...(target.files ?? [])]);
            // The same file may be chosen again.
            target.value = '';
          }}
        />
        <p>{texts.uploadHint}</p>
      </div>
      <ReadState error={read.error} isLoading={!files} />
      {isEmpty && <Empty text={texts.empty} hint={texts.emptyHint} />}
      {!isEmpty && (
        <ul className="files-list" aria-label={texts.list}>
          {files?.map((file) => (
            <Row key={file.fileUid} file={file} isStaff onDownload={() => void download(read, file)}>
              <StaffActions file={file} />
            </Row>
          ))}
          {shownUploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} uploads={uploads} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** The files that are shared with the patient, for the patient (ROLE-2: without upload). */
export function PatientFiles(props: FilesOf) {
  const read = useFiles(props);
  const files = read.data?.data;
  return (
    <div className="files">
      <ReadState error={read.error} isLoading={!files} />
      {files?.length === 0 && <Empty text={texts.emptyPatient} hint={texts.emptyPatientHint} />}
      {files && files.length > 0 && (
        <ul className="files-list" aria-label={texts.list}>
          {files.map((file) => (
            <Row key={file.fileUid} file={file} onDownload={() => void download(read, file)} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** The address of a file expires, so that the list is read again before. */
async function download(read: ReturnType<typeof useFiles>, { fileUid, name }: AppointmentFile): Promise<void> {
  const { data, error } = await read.refetch();
  const address = data?.data.find((file) => file.fileUid === fileUid)?.address;
  if (error || !address) {
    if (error) toast.error(wordsFor(error));
    return;
  }
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

function ReadState({ error, isLoading }: { error: Error | null; isLoading: boolean }) {
  if (!isLoading) return null;
  return (
    <p className="files-note" role={error ? 'alert' : 'status'}>
      {error ? wordsFor(error) : texts.loading}
    </p>
  );
}

function Empty({ text, hint }: { text: string; hint: string }) {
  return (
    <p className="files-note">
      <strong>{text}</strong>
      <br />
      {hint}
    </p>
  );
}

interface RowProps {
  file: AppointmentFile;
  isStaff?: boolean;
  onDownload: () => void;
  children?: ReactNode;
}

function Row({ file, isStaff = false, onDownload, children }: RowProps) {
  const { name, size, uploaded, shared, downloaded, mediaType } = file;
  const time = formatDateTime(uploaded, ownZone());
  return (
    <li className="files-row">
      <TypeIcon mediaType={mediaType} />
      <div className="files-text">
        <span className="files-name" title={name}>
          {name}
        </span>
        <span className="files-meta">
          {formatBytes(size)} · {time}
        </span>
        {isStaff && shared && !downloaded && <span className="files-meta">{texts.shared}</span>}
        {downloaded && <span className="files-meta">{texts.downloadedBy(formatDateTime(downloaded, ownZone()))}</span>}
      </div>
      <div className="files-actions">
        <IconAction label={texts.download(name)} onClick={onDownload}>
          <DownloadIcon fontSize="small" />
        </IconAction>
        {children}
      </div>
    </li>
  );
}

function StaffActions({ file: { fileUid, name, shared } }: { file: AppointmentFile }) {
  const share = useChange(shareFiles, { invalidates: [listFiles] });
  const remove = useChange(deleteFile, { invalidates: [listFiles] });
  async function askAndDelete() {
    const { deleteQuestion: text, deleteYes: yes, cancel: no } = texts;
    if (await confirm({ text, details: [name], yes, no, danger: true })) remove.mutate({ params: { fileUid } });
  }
  return (
    <>
      <button
        type="button"
        className="files-share"
        aria-pressed={shared}
        aria-label={texts.shareName(name)}
        aria-disabled={share.isPending || undefined}
        onClick={() => !share.isPending && share.mutate({ body: { fileUids: [fileUid], shared: !shared } })}
      >
        {shared && <CheckIcon fontSize="small" />}
        {texts.share}
      </button>
      <IconAction label={texts.delete(name)} onClick={() => void askAndDelete()}>
        <DeleteOutlineIcon fontSize="small" />
      </IconAction>
    </>
  );
}

function UploadRow({ upload: { key, name, size, state }, uploads }: { upload: FileUpload; uploads: FileUploads }) {
  const isFailed = state.status === 'failed';
  const percent = state.status === 'sending' ? state.percent : state.status === 'done' ? 100 : 0;
  return (
    <li className="files-row" data-failed={isFailed || undefined}>
      <FileIcon className="files-icon" />
      <div className="files-text">
        <span className="files-name" title={name}>
          {name}
        </span>
        {isFailed ? (
          <span className="files-meta" role="alert">
            {state.why}
          </span>
        ) : (
          <>
            <progress className="files-progress" max={100} value={percent} aria-label={texts.progressName(name)} />
            <span className="files-meta">
              {formatBytes(size)} · {state.status === 'waiting' ? texts.waiting : texts.progress(percent)}
            </span>
          </>
        )}
      </div>
      <div className="files-actions">
        {isFailed && state.mayRetry && (
          <button type="button" className="files-share" onClick={() => uploads.retry(key)}>
            {texts.retry}
          </button>
        )}
        <IconAction
          label={isFailed ? texts.remove(name) : texts.cancelUpload(name)}
          onClick={() => uploads.remove(key)}
        >
          <CloseIcon fontSize="small" />
        </IconAction>
      </div>
    </li>
  );
}

function IconAction({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className="files-action" aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  );
}

function TypeIcon({ mediaType }: { mediaType: string }) {
  if (mediaType.startsWith('image/')) return <ImageIcon className="files-icon" />;
  if (mediaType.startsWith('video/')) return <VideoIcon className="files-icon" />;
  return mediaType === 'application/pdf' ? <PdfIcon className="files-icon" /> : <FileIcon className="files-icon" />;
}
