import { Box, Drawer, Typography } from '@mui/material';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useFocusBefore } from './return-focus.ts';

interface Props {
  open: boolean;
  title: string;
  onClose: () => void;
  /** Closes after this many ms without pointer or focus in it. */
  closeAfter?: number;
  /** False keeps the page behind it usable and the focus where it is: for sheets that open without an action of the user. */
  modal?: boolean;
  /** Buttons. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A sheet at the lower edge. Escape closes it; when it is modal, a tap beside it does too. The focus returns to where it was. */
export function BottomSheet({ open, title, onClose, closeAfter, modal = true, actions, children }: Props) {
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  // A modal sheet always has the focus.
  const held = !modal && (hovered || focused);
  const close = useEffectEvent(onClose);
  const paper = useRef<HTMLDivElement>(null);
  const focus = useFocusBefore();
  const giveFocusBack = useEffectEvent(() => focus.giveBack(paper.current));
  useLayoutEffect(() => {
    // A modal sheet does it itself.
    if (!open && !modal) giveFocusBack();
  }, [open, modal]);
  useEffect(() => {
    if (!open || !closeAfter || held) return;
    const timer = setTimeout(() => close(), closeAfter);
    return () => clearTimeout(timer);
  }, [open, closeAfter, held]);
  return (
    <Drawer
      anchor="bottom"
      variant={modal ? 'temporary' : 'persistent'}
      open={open}
      onClose={onClose}
      onKeyDown={(event) => !modal && event.key === 'Escape' && onClose()}
      onPointerEnter={(event) => event.pointerType === 'mouse' && setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={(event) => {
        focus.onFocus(event);
        setFocused(true);
      }}
      onBlur={() => setFocused(false)}
      slotProps={{
        paper: {
          ref: paper,
          role: 'dialog',
          ...(modal && { 'aria-modal': true }),
          'aria-label': title,
          sx: {
            maxWidth: 640,
            mx: 'auto',
            zIndex: 'modal',
            border: '1px solid var(--rs-line)',
            borderBottom: 0,
            borderRadius: 'var(--rs-radius-lg) var(--rs-radius-lg) 0 0',
            boxShadow: 'var(--rs-shade)',
          },
        },
      }}
    >
      <Box sx={{ p: 3, pb: 'max(24px, env(safe-area-inset-bottom))' }}>
        <Typography variant="h2" gutterBottom>
          {title}
        </Typography>
        {children}
        {actions && <Box sx={row}>{actions}</Box>}
      </Box>
    </Drawer>
  );
}

const row = {
  display: 'flex',
  flexWrap: 'wrap',
  gap: 1,
  mt: 2.5,
  '& > *': { flex: { xs: '1 1 auto', sm: '0 0 auto' } },
} as const;
