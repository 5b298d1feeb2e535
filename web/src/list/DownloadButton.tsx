import FileDownloadOutlinedIcon from '@mui/icons-material/FileDownloadOutlined';
import { IconButton, Tooltip } from '@mui/material';
import { saveAsFile } from '../api/save-as-file.ts';
import type { sendForFile } from '../api/send.ts';

/** Saves the file that `open` requests. */
export function DownloadButton({ label, open }: { label: string; open: () => ReturnType<typeof sendForFile> }) {
  return (
    <Tooltip title={label}>
      <IconButton aria-label={label} onClick={() => void saveAsFile(open())}>
        <FileDownloadOutlinedIcon />
      </IconButton>
    </Tooltip>
  );
}
