import { Alert } from '@mui/material';
import { wordsFor } from '../api/errors.ts';
import { ProblemError } from '../api/problem.ts';
import { Button } from './Button.tsx';
import { texts } from './texts.ts';

/** Shown in place of content that could not be loaded: the reason, and Try Again when that may help. */
export function LoadError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isRefused = error instanceof ProblemError && error.status === 403;
  return (
    <Alert
      severity="error"
      sx={{ my: 2, alignItems: 'center' }}
      action={
        isRefused ? undefined : (
          <Button look="quiet" onClick={onRetry}>
            {texts.tryAgain}
          </Button>
        )
      }
    >
      {wordsFor(error)}
    </Alert>
  );
}
