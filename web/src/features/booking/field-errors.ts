import type { Schema } from '@roomside/contract/call.ts';
import { useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal, ProblemError } from '../../api/problem.ts';
import { texts } from './texts.ts';

type Errors = Record<string, string>;

/** Returns the first error text of each field; empty when the value is valid. */
export function checkFields(schema: Schema, value: unknown): Errors {
  const checked = schema.safeParse(value);
  const errors: Errors = {};
  for (const issue of checked.success ? [] : checked.error.issues) errors[String(issue.path[0])] ??= issue.message;
  return errors;
}

/** The server's errors of single fields. */
export const fieldsOf = (error: unknown): Errors => (error instanceof ProblemError ? { ...error.fields } : {});

/** Focuses the first field with an error. */
export function focusFirstError(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** What a submit found. */
interface Found {
  errors: Errors;
  /** Shown above the fields. */
  failure: string | undefined;
  /** The value that the server refused; undefined when the schema did. */
  refused?: Readonly<Record<string, unknown>>;
}

/**
 * The errors of a form. They are found by a submit; from then on the fields that have one are checked while they change. An
 * error of the server stays until its field changes.
 */
export function useFieldErrors(schema: Schema, value: Readonly<Record<string, unknown>>) {
  const [found, setFound] = useState<Found>({ errors: {}, failure: undefined });
  const hasErrors = Object.keys(found.errors).length > 0;
  const wrong = hasErrors ? checkFields(schema, value) : {};
  const errors: Errors = {};
  for (const [name, text] of Object.entries(found.errors)) {
    const left = wrong[name] ?? (found.refused && found.refused[name] === value[name] ? text : undefined);
    if (left !== undefined) errors[name] = left;
  }
  return {
    errors,
    failure: hasErrors && Object.keys(errors).length === 0 ? undefined : found.failure,

    /** Checks all fields before a submit; returns whether they are valid. Focuses the first one that is not. */
    check(): boolean {
      const now = checkFields(schema, value);
      const isValid = Object.keys(now).length === 0;
      setFound({ errors: now, failure: isValid ? undefined : texts.fix });
      if (!isValid) focusFirstError();
      return isValid;
    },

    /** Shows why the server refused the value; `failure` replaces its text. */
    refuse(error: unknown, failure = isRefusal(error, 'invalid') ? texts.fix : wordsFor(error)): void {
      setFound({ errors: fieldsOf(error), failure, refused: value });
      focusFirstError();
    },
  };
}
