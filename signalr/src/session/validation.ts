import { promiseOf } from '../application-code.ts';
import { texts } from '../protocol/texts.ts';
import type { SchemaIssue, SchemaResult, StandardSchema } from '../types.ts';
import type { Method } from './method.ts';
import { Refusal } from './outcome.ts';

/** Returns the outputs of the method's schemas. Throws or rejects with a `Refusal` that names the first invalid argument. */
export function validate(method: Method, target: string, args: readonly unknown[]): unknown[] | Promise<unknown[]> {
  const schemas = method.inputs ?? [];
  const values: unknown[] = [];
  let waiting: Promise<void>[] | undefined;
  for (let index = 0; index < schemas.length; index++) {
    const schema = schemas[index] as StandardSchema;
    const promise = waiting ? validateLater(schema, args[index]) : undefined;
    const result = promise ?? schema['~standard'].validate(args[index]);
    const late = promise ?? promiseOf(result);
    if (late) {
      waiting ??= [];
      waiting.push(
        late.then((outcome) => {
          values[index] = accept(outcome, target, index);
        }),
      );
    } else {
      values[index] = accept(result as SchemaResult<unknown>, target, index);
    }
  }
  return waiting ? Promise.all(waiting).then(() => values) : values;
}

/** Turns errors into rejections: throwing while another schema is pending would leave its rejection unhandled. */
async function validateLater(schema: StandardSchema, value: unknown): Promise<SchemaResult<unknown>> {
  return schema['~standard'].validate(value);
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
