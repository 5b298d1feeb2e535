import { Box, Drawer, Typography } from '@mui/material';
import { type ReactNode, useEffect, useEffectEvent } from 'react';

interface Props {
  open: boolean;
  title: string;
  onClose: () => void;
  /** Closes by itself after this many ms. */
  closeAfter?: number;
  /** Buttons. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A sheet that rises from the lower edge and leaves the page behind it usable by Escape or a tap beside it. */
export function BottomSheet({ open, title, onClose, closeAfter, actions, children }: Props) {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!open || !closeAfter) return;
    const timer = setTimeout(() => close(), closeAfter);
    return () => clearTimeout(timer);
  }, [open, closeAfter]);
  return (
    <Drawer
      anchor="bottom"
      open={open}
      onClose={onClose}
      slotProps={{
        paper: {
          role: 'dialog',
          'aria-modal': true,
          'aria-label': title,
          sx: { maxWidth: 640, mx: 'auto', borderRadius: '16px 16px 0 0', boxShadow: 'var(--rs-shade)' },
        },
      }}
    >
      <Box sx={{ p: 3, pb: 'max(24px, env(safe-area-inset-bottom))' }}>
        <Typography variant="h2" gutterBottom>
          {title}
        </Typography>
        {children}
        {actions && <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2.5 }}>{actions}</Box>}
      </Box>
    </Drawer>
  );
}
