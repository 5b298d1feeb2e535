import { CssBaseline, ThemeProvider } from '@mui/material';
import type { ReactNode } from 'react';
import { Outlet } from 'react-router';
import { theme } from '../theme/theme.ts';
// Toasts of these pages may be about a lost connection, which is too late to load what shows them.
import './Overlays.tsx';

/** What Material's components need around them. Patients' light pages do without, so it is loaded with the first page that has some. */
export function StaffTheme({ children }: { children: ReactNode }) {
  return (
    <ThemeProvider theme={theme}>
      <CssBaseline />
      {children}
    </ThemeProvider>
  );
}

/** Around routes whose pages have Material's components. */
export function ThemedRoutes() {
  return (
    <StaffTheme>
      <Outlet />
    </StaffTheme>
  );
}
