import { Alert, Button } from '@mui/material';
import { wordsFor } from '../api/errors.ts';
import { texts } from './texts.ts';

/** What stands in place of something that could not be loaded: why, and Try Again. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Alert
      severity="error"
      sx={{ my: 2, alignItems: 'center' }}
      action={
        <Button color="inherit" onClick={onRetry}>
          {texts.tryAgain}
        </Button>
      }
    >
      {wordsFor(error)}
    </Alert>
  );
}
