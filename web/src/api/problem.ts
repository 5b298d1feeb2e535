import type { Problem, RefusalCode } from '@roomside/contract/refusals.ts';

/** A refusal of the server (RFC 9457). `code` is 'server-error' when the response has another format. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: RefusalCode;
  /** The server's words, if it sent any. */
  readonly words: string | undefined;
  /** Texts by field path, e.g. { 'patientPhones.0.phone': 'Required' }. */
  readonly fields: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** With 'stale' what is stored now, with 'slot-taken' the conflicting appointment. */
  readonly current: unknown;

  constructor(problem: Partial<Problem> & { status: number }) {
    super(problem.detail ?? problem.title ?? `Status ${problem.status}`);
    this.status = problem.status;
    this.code = problem.code ?? (problem.status === 503 ? 'unavailable' : 'server-error');
    this.words = problem.detail ?? problem.title;
    this.fields = problem.fields ?? {};
    this.retryAfter = problem.retryAfter;
    this.current = problem.current;
  }
}

/** The server could not be reached, or the response was cut off. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';
}

/** True when the request may have been executed although its response is missing. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof OfflineError || (error instanceof ProblemError && error.status >= 500);

/** True for a refusal with this code. */
export function isRefusal(error: unknown, code: RefusalCode): error is ProblemError {
  return error instanceof ProblemError && error.code === code;
}
