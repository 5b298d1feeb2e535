import ContentCopyIcon from '@mui/icons-material/ContentCopy';
import { IconButton, InputAdornment, TextField, Tooltip } from '@mui/material';
import { useRef } from 'react';
import { copyText } from './copy-text.ts';

interface Props {
  /** The accessible name of the field. */
  label: string;
  value: string;
  hint: string;
  /** The name of the button. */
  copy: string;
  copied: string;
}

/** A text to copy, such as a link, with a button that does it. */
export function CopyField({ label, value, hint, copy, copied }: Props) {
  const field = useRef<HTMLInputElement>(null);
  async function toClipboard() {
    if (!(await copyText(value, copied))) field.current?.select();
  }
  return (
    <TextField
      value={value}
      helperText={hint}
      fullWidth
      inputRef={field}
      onFocus={() => field.current?.select()}
      slotProps={{
        htmlInput: { 'aria-label': label },
        input: {
          readOnly: true,
          endAdornment: (
            <InputAdornment position="end">
              <Tooltip title={copy}>
                <IconButton edge="end" aria-label={copy} onClick={() => void toClipboard()}>
                  <ContentCopyIcon fontSize="small" />
                </IconButton>
              </Tooltip>
            </InputAdornment>
          ),
        },
      }}
    />
  );
}
