import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';

interface Props {
  icon?: ReactNode;
  text: string;
  /** Explains what will be shown here. */
  hint?: string;
  /** A button that adds something. */
  action?: ReactNode;
}

/** Shown for an empty list: explains it and offers an action. */
export function EmptyState({ icon, text, hint, action }: Props) {
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, px: 3, py: 8, textAlign: 'center' }}>
      {icon && <Box sx={{ color: 'text.secondary', '& svg': { fontSize: 40 } }}>{icon}</Box>}
      <Typography sx={{ fontWeight: 600 }}>{text}</Typography>
      {hint && (
        <Typography variant="body2" color="textSecondary" sx={{ maxWidth: 420, textWrap: 'pretty' }}>
          {hint}
        </Typography>
      )}
      {action && <Box sx={{ mt: 1 }}>{action}</Box>}
    </Box>
  );
}
