import { Box, Card, Typography } from '@mui/material';
import type { ReactNode } from 'react';

/** A part of a page with its own heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card
      component="section"
      aria-label={title}
      sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)', p: { xs: 2, sm: 3 } }}
    >
      <Typography variant="h2">{title}</Typography>
      {children}
    </Card>
  );
}

/** Fields side by side, below each other on a phone. */
export function Pair({ children }: { children: ReactNode }) {
  return (
    <Box
      sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: 'repeat(2, minmax(0, 1fr))' } }}
    >
      {children}
    </Box>
  );
}
