import { Box, ListItem, Typography } from '@mui/material';
import type { ReactNode } from 'react';

/** A line of a list: what it is, more about it, and what can be done. */
export function Entry({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <ListItem divider disableGutters sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
      <Box sx={{ flex: '1 1 220px', minWidth: 0 }}>
        <Typography sx={{ overflowWrap: 'anywhere' }}>{title}</Typography>
        <Typography variant="body2" color="textSecondary">
          {text}
        </Typography>
      </Box>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>{children}</Box>
    </ListItem>
  );
}
