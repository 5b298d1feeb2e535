import { ThemeProvider } from '@mui/material';
import { LiveUpdates } from '../features/waiting-room/LiveUpdates.tsx';
import { theme } from '../theme/theme.ts';

/** Live updates stand beside the pages, so that they outlive each. */
export function ThemedLiveUpdates() {
  return (
    <ThemeProvider theme={theme}>
      <LiveUpdates />
    </ThemeProvider>
  );
}
