import type { Schema } from '@roomside/contract/call.ts';
import { ProblemError } from '../../api/problem.ts';

/** The texts of a schema by field, the first of each; empty when all is well. */
export function checkFields(schema: Schema, value: unknown): Record<string, string> {
  const checked = schema.safeParse(value);
  const errors: Record<string, string> = {};
  for (const issue of checked.success ? [] : checked.error.issues) errors[String(issue.path[0])] ??= issue.message;
  return errors;
}

/** What the server says about single fields. */
export const fieldsOf = (error: unknown): Record<string, string> =>
  error instanceof ProblemError ? { ...error.fields } : {};

/** Puts the focus on the first marked field, where the person has to go on. */
export function focusFirstError(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
