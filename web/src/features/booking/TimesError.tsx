import { wordsFor } from '../../api/errors.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Notice } from '../../ui/light/Notice.tsx';
import { texts } from '../../ui/texts.ts';

/** Shown in place of free times that could not be loaded. */
export function TimesError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <>
      <Notice kind="error">{wordsFor(error)}</Notice>
      <Button look="secondary" onClick={onRetry}>
        {texts.tryAgain}
      </Button>
    </>
  );
}

/** Reads again what could not be read. */
export function retryFailed(reads: readonly { error: unknown; data: unknown; refetch: () => unknown }[]): void {
  for (const { error, data, refetch } of reads) if (error && !data) void refetch();
}
