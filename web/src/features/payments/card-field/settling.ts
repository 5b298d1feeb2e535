import { OfflineError, ProblemError } from '../../../api/problem.ts';

/** How often the server is asked whether a payment of unknown result was made, ms. */
export const settleEveryMs = 3_000;

/** True when the request may have been executed although its response is missing. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof OfflineError || (error instanceof ProblemError && error.status >= 500);
