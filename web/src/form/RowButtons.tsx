import AddIcon from '@mui/icons-material/Add';
import DeleteOutlineIcon from '@mui/icons-material/DeleteOutlined';
import { Box, IconButton, Tooltip } from '@mui/material';
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../ui/Button.tsx';

interface Props {
  /** The name of the form's array that has the rows. */
  of: string;
  label: string;
  disabled?: boolean;
}

/** Adds a row to those of a form: phones, times, and the like. */
export function AddRow({ of, label, disabled = false, onAdd }: Props & { onAdd: () => void }) {
  return (
    <Box data-add-row={of}>
      <Button look="quiet" startIcon={<AddIcon />} disabled={disabled} onClick={onAdd}>
        {label}
      </Button>
    </Box>
  );
}

/**
 * Removes one of the rows of a form. The focus moves to the same button of the row that takes its place, or of the last row; to the button that
 * adds a row when no other can be removed.
 */
export function RemoveRow({ of, label, disabled = false, onRemove }: Props & { onRemove: () => void }) {
  const ref = useRef<HTMLButtonElement>(null);
  function remove() {
    const form = ref.current?.form;
    const buttons = () => [...(form?.querySelectorAll<HTMLButtonElement>(`[data-remove-row="${of}"]`) ?? [])];
    const index = buttons().findIndex((button) => button === ref.current);
    flushSync(onRemove);
    const left = buttons().filter((button) => !button.disabled);
    const next =
      left[Math.min(index, left.length - 1)] ?? form?.querySelector<HTMLElement>(`[data-add-row="${of}"] button`);
    next?.focus();
  }
  return (
    <Tooltip title={label}>
      <span>
        <IconButton ref={ref} data-remove-row={of} aria-label={label} disabled={disabled} onClick={remove}>
          <DeleteOutlineIcon />
        </IconButton>
      </span>
    </Tooltip>
  );
}
