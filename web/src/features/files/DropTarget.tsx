import UploadIcon from '@mui/icons-material/UploadFileOutlined';
import { texts } from './texts.ts';
import { useDroppedFiles } from './use-dropped-files.ts';
import './files.css';

/** Takes files that are dragged into the page or pasted. */
export function DropTarget({ onFiles }: { onFiles: (files: File[]) => void }) {
  const isOver = useDroppedFiles(onFiles);
  if (!isOver) return null;
  return (
    <div className="files-drop" aria-hidden="true">
      <UploadIcon fontSize="large" />
      {texts.drop}
    </div>
  );
}
