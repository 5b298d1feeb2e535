import { texts } from './texts.ts';
import { type UploadsOf, useUploadProgress, useUploads } from './uploads-of.ts';
import './files.css';

/** How far the unfinished uploads of an appointment are, for the bar of the room (ROOM-3). */
export function UploadProgress(props: UploadsOf) {
  const progress = useUploadProgress(useUploads(props));
  if (!progress) return null;
  const label = texts.uploading(progress.count, progress.percent);
  return (
    <div className="files-bar" title={label}>
      <progress className="files-progress" max={100} value={progress.percent} aria-label={label} />
      <span aria-hidden="true">{progress.percent}%</span>
    </div>
  );
}
