import { wordsFor } from '../../api/errors.ts';
import { OfflineError, ProblemError } from '../../api/problem.ts';
import { texts } from './texts.ts';

/** The text for an error while a passkey was used: the browser's own mean that the person or the device refused. */
export const passkeyWords = (error: unknown): string =>
  error instanceof ProblemError || error instanceof OfflineError ? wordsFor(error) : texts.login.passkeyFailed;
