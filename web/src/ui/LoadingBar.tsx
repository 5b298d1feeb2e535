import { Box, LinearProgress } from '@mui/material';
import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useNavigation } from 'react-router';
import { pendingCalls } from '../api/send.ts';
import { texts } from './texts.ts';

/** Delay before the bar appears, ms. */
const graceMs = 150;

/** A bar along the title bar while requests are pending or the next page loads (MENU-5). */
export function LoadingBar() {
  // Reads and changes also while they wait for another try.
  const requests = useIsFetching() + useIsMutating() + useSyncExternalStore(pendingCalls.subscribe, pendingCalls.get);
  const busy = useNavigation().state !== 'idle' || requests > 0;
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(busy), busy ? graceMs : 0);
    return () => clearTimeout(timer);
  }, [busy]);
  return (
    <Box sx={{ position: 'absolute', insetInline: 0, bottom: -2, height: 3 }}>
      {shown && <LinearProgress aria-label={texts.loading} sx={{ height: 3 }} />}
    </Box>
  );
}
