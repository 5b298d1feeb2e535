import { Box, CircularProgress } from '@mui/material';
import { texts } from './texts.ts';

/** A generic placeholder while content loads; screens that know its shape show that instead. */
export function Loading() {
  return (
    <Box role="status" aria-label={texts.loading} sx={{ display: 'grid', placeItems: 'center', minHeight: 240 }}>
      <CircularProgress size={32} thickness={4} aria-hidden />
    </Box>
  );
}
