import { Box, Card, Typography } from '@mui/material';
import type { ReactNode } from 'react';

/** A part of a page with a heading; `tools` are beside it. */
export function Section({ title, tools, children }: { title: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <Card
      component="section"
      aria-label={title}
      sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)', p: { xs: 2, sm: 3 } }}
    >
      {tools ? (
        <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', my: -1 }}>
          <Typography variant="h2">{title}</Typography>
          {tools}
        </Box>
      ) : (
        <Typography variant="h2">{title}</Typography>
      )}
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
