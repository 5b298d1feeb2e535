import CloseIcon from '@mui/icons-material/Close';
import { Alert, IconButton, Snackbar } from '@mui/material';
import { useEffectEvent, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { Button } from './Button.tsx';
import { useFocusBefore } from './return-focus.ts';
import { texts } from './texts.ts';
import { toast, toastQueue } from './toast.ts';

type Shown = ReturnType<typeof toastQueue.get>[number];

/** Shows the newest toast; errors interrupt a screen reader, others do not. */
export function Toasts() {
  const current = useSyncExternalStore(toastQueue.subscribe, toastQueue.get)[0];
  return current && <OneToast key={current.key} shown={current} />;
}

function OneToast({ shown: { key, kind, text, duration, action } }: { shown: Shown }) {
  const box = useRef<HTMLDivElement>(null);
  const focus = useFocusBefore();
  const giveFocusBack = useEffectEvent((element: Element | null) => focus.giveBack(element));
  useLayoutEffect(() => {
    const element = box.current;
    return () => giveFocusBack(element);
  }, []);
  const close = () => toast.dismiss(key);
  return (
    <Snackbar
      ref={box}
      onFocus={focus.onFocus}
      open
      autoHideDuration={duration}
      onClose={(_, reason) => reason !== 'clickaway' && close()}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'center' }}
      sx={aboveDialogs}
    >
      <Alert
        severity={kind}
        role={kind === 'error' ? 'alert' : 'status'}
        variant="outlined"
        sx={{
          alignItems: 'center',
          // On a phone as wide as the screen: as narrow as its text, it would have its buttons below the text.
          flexGrow: { xs: 1, sm: 0 },
          bgcolor: `var(--rs-${tone[kind]}-soft)`,
          color: 'text.primary',
          boxShadow: 'var(--rs-shade)',
        }}
        action={
          <>
            {action && (
              <Button
                look="quiet"
                size="small"
                onClick={() => {
                  action.run();
                  close();
                }}
              >
                {action.label}
              </Button>
            )}
            <IconButton color="inherit" aria-label={texts.close} onClick={close}>
              <CloseIcon fontSize="small" />
            </IconButton>
          </>
        }
      >
        {text}
      </Alert>
    </Snackbar>
  );
}

const tone = { info: 'info', success: 'success', warning: 'warning', error: 'danger' } as const;

/**
 * On a phone toasts are above a dialog, and everywhere above a sheet or a page's buttons at the lower edge, so that they do not cover
 * buttons.
 */
const aboveDialogs = {
  'body:has([data-bottom-bar]) &&': { bottom: 76 },
  // Doubled for specificity: the room places its toasts itself.
  'body:has(.MuiDialog-root) &&': { top: { xs: 8, sm: 'auto' }, bottom: { xs: 'auto', sm: 24 } },
  'body:has(.MuiDrawer-modal) &&': { top: 8, bottom: 'auto' },
} as const;
