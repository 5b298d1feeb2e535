import { TextField } from '@mui/material';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  value: string | number;
  onChange: (value: string) => void;
  /** Menu items. */
  children: ReactNode;
}

/** A choice among the tools of a list: its label stands beside it. */
export function ToolSelect({ label, value, onChange, children }: Props) {
  return (
    <TextField
      select
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{ select: { displayEmpty: true } }}
      sx={{
        flexDirection: 'row',
        alignItems: 'center',
        gap: 1,
        '& .MuiInputLabel-root': { mb: 0, flex: 'none', color: 'text.secondary' },
        '& .MuiInputBase-root': { flex: 1, minWidth: 168 },
      }}
    >
      {children}
    </TextField>
  );
}
