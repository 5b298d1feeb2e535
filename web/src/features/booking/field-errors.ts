import type { Schema } from '@roomside/contract/call.ts';
import { ProblemError } from '../../api/problem.ts';

/** Returns the first error text of each field; empty when the value is valid. */
export function checkFields(schema: Schema, value: unknown): Record<string, string> {
  const checked = schema.safeParse(value);
  const errors: Record<string, string> = {};
  for (const issue of checked.success ? [] : checked.error.issues) errors[String(issue.path[0])] ??= issue.message;
  return errors;
}

/** The server's errors of single fields. */
export const fieldsOf = (error: unknown): Record<string, string> =>
  error instanceof ProblemError ? { ...error.fields } : {};

/** Focuses the first field with an error. */
export function focusFirstError(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
