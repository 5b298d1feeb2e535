import DeleteOutlineIcon from '@mui/icons-material/DeleteOutlined';
import { IconButton, Tooltip } from '@mui/material';

/** The icon button that deletes a row; its label names the row. */
export function DeleteAction({ label, onDelete }: { label: string; onDelete: () => void }) {
  return (
    <Tooltip title={label}>
      <IconButton aria-label={label} onClick={onDelete}>
        <DeleteOutlineIcon fontSize="small" />
      </IconButton>
    </Tooltip>
  );
}
