import { ThemeProvider } from '@mui/material';
import { LiveUpdates } from '../features/waiting-room/LiveUpdates.tsx';
import { theme } from '../theme/theme.ts';

/** Live updates are mounted beside the pages, so that they survive navigation. */
export function ThemedLiveUpdates() {
  return (
    <ThemeProvider theme={theme}>
      <LiveUpdates />
    </ThemeProvider>
  );
}
