import { ThemeProvider } from '@mui/material';
import { theme } from '../theme/theme.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { Toasts } from './Toasts.tsx';

/** Toasts and dialogs above all pages. */
export function Overlays() {
  return (
    <ThemeProvider theme={theme}>
      <Toasts />
      <ConfirmDialog />
    </ThemeProvider>
  );
}
