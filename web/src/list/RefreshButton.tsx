import RefreshIcon from '@mui/icons-material/Refresh';
import { IconButton, Tooltip } from '@mui/material';
import { texts } from './texts.ts';

/** ABOUT-7: reloads a list from its first page. */
export function RefreshButton({ onRefresh, label = texts.refresh }: { onRefresh: () => void; label?: string }) {
  return (
    <Tooltip title={label}>
      <IconButton aria-label={label} onClick={onRefresh}>
        <RefreshIcon />
      </IconButton>
    </Tooltip>
  );
}
