import { Box, Button, Typography } from '@mui/material';
import { texts } from '../ui/texts.ts';

/** A page that broke, or whose code could not be loaded (a new version, or no connection): offers to reload. */
export function RouteError() {
  return (
    <Box
      component="main"
      sx={{
        display: 'grid',
        placeContent: 'center',
        justifyItems: 'center',
        minHeight: '100dvh',
        p: 3,
        gap: 1.5,
        textAlign: 'center',
      }}
    >
      <Typography variant="h1">{texts.fallback.title}</Typography>
      <Typography color="textSecondary">{texts.fallback.text}</Typography>
      <Button variant="contained" onClick={() => location.reload()}>
        {texts.fallback.reload}
      </Button>
    </Box>
  );
}
