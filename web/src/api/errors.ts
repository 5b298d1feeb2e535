import { pageRefusals } from '@roomside/contract/page-refusals.ts';
import { OfflineError, ProblemError } from './problem.ts';

/** Shown when the server cannot be reached. */
export const offline = 'You seem offline. Check your connection and try again.';

/** Returns the text that a screen shows for an error. */
export function wordsFor(error: unknown): string {
  if (error instanceof OfflineError) return offline;
  if (!(error instanceof ProblemError)) return pageRefusals['server-error'].text;
  const words = error.words ?? wordsForCode(error.code) ?? pageRefusals['server-error'].text;
  if (error.code !== 'too-many' || !error.retryAfter) return words;
  return `Too many attempts. Please wait ${waitWords(error.retryAfter)} and try again.`;
}

function waitWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${Math.ceil(seconds)} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/** The text for a code that arrived without words, if pages know it. */
export function wordsForCode(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(pageRefusals, code)
    ? pageRefusals[code as keyof typeof pageRefusals].text
    : undefined;
}
