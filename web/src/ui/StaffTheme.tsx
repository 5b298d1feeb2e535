import { CssBaseline, ThemeProvider } from '@mui/material';
import type { ReactNode } from 'react';
import { Outlet } from 'react-router';
import { theme } from '../theme/theme.ts';
// Toasts of these pages may report a lost connection, when it is too late to load them.
import './Overlays.tsx';

/** The providers of Material's components. Patients' light pages have none, so this is loaded with the first page that does. */
export function StaffTheme({ children }: { children: ReactNode }) {
  return (
    <ThemeProvider theme={theme}>
      <CssBaseline />
      {children}
    </ThemeProvider>
  );
}

/** Wraps routes whose pages have Material's components. */
export function ThemedRoutes() {
  return (
    <StaffTheme>
      <Outlet />
    </StaffTheme>
  );
}
