import { ThemeProvider } from '@mui/material';
import { theme } from '../theme/theme.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { Toasts } from './Toasts.tsx';

/** Toasts and questions, above every page. */
export function Overlays() {
  return (
    <ThemeProvider theme={theme}>
      <Toasts />
      <ConfirmDialog />
    </ThemeProvider>
  );
}
