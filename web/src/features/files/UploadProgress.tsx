import { texts } from './texts.ts';
import { useUploadProgress, useUploads } from './uploads-of.ts';
import './files.css';

/** How far the unfinished uploads of an appointment are, for the bar of the room (ROOM-3). */
export function UploadProgress({ appointmentId }: { appointmentId: number }) {
  const progress = useUploadProgress(useUploads(appointmentId));
  if (!progress) return null;
  const label = texts.uploading(progress.count, progress.percent);
  return (
    <div className="files-bar" title={label}>
      <progress className="files-progress" max={100} value={progress.percent} aria-label={label} />
      <span aria-hidden="true">{progress.percent}%</span>
    </div>
  );
}
