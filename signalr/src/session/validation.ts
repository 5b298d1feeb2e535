import { texts } from '../protocol/texts.ts';
import type { Method } from '../transport/method.ts';
import type { SchemaIssue, SchemaResult } from '../types.ts';
import { Refusal } from './outcome.ts';

/** The arguments as the schemas of the method return them. Throws or rejects with a `Refusal` that names the first bad one. */
export function validate(method: Method, target: string, args: readonly unknown[]): unknown[] | Promise<unknown[]> {
  const schemas = method.inputs ?? [];
  const values: unknown[] = [];
  let waiting: Promise<void>[] | undefined;
  for (let index = 0; index < schemas.length; index++) {
    const result = schemas[index]?.['~standard'].validate(args[index]);
    if (result === undefined) continue;
    if (isPromise(result)) {
      waiting ??= [];
      waiting.push(
        result.then((late) => {
          values[index] = accept(late, target, index);
        }),
      );
    } else {
      values[index] = accept(result, target, index);
    }
  }
  return waiting ? Promise.all(waiting).then(() => values) : values;
}

function accept(result: SchemaResult<unknown>, target: string, index: number): unknown {
  const issue = result.issues?.[0];
  if (issue) {
    const text = texts.invalidArgument(index + 1, where(issue), issue.message);
    throw new Refusal(`${texts.failedToInvoke(target)} ${text}`);
  }
  return (result as { value: unknown }).value;
}

function where(issue: SchemaIssue): string {
  const path = issue.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return path ? ` (${path})` : '';
}

export function isPromise<T>(value: T | PromiseLike<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
