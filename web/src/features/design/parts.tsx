import { Typography } from '@mui/material';
import type { ReactNode } from 'react';

export const row = { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1.5 } as const;

/** A part of a section with its name. */
export function Shape({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {name}
      </Typography>
      {children}
    </div>
  );
}

/** Parts that are only to look at, because they take the focus when they appear, are a whole page, or are grayed. */
export function Still({ children }: { children: ReactNode }) {
  return <div inert>{children}</div>;
}
