import { filtered } from '../filters.ts';
import type { AnyDefinition, HubFilter, Limits } from '../hub.ts';
import type { AnyRun } from '../method-kinds.ts';
import type { StandardSchema } from '../types.ts';

/** A hub method with its limits and schemas. */
export interface Method {
  readonly name: string;
  readonly run: AnyRun;
  readonly inputs: readonly StandardSchema[] | undefined;
  /** The number of arguments, not counting uploads. */
  readonly arity: number;
  /** The number of streams from the client; they follow the arguments. */
  readonly uploads: number;
  /** Whether it returns a stream. */
  readonly isStreaming: boolean;
  /** The maximum size of a message that calls it, bytes. */
  readonly maxBytes: number;
}

/** Returns the methods of a hub by name and by lower-case name, with the filters around them. */
export function prepareMethods(
  definition: AnyDefinition,
  limits: Limits,
  filters: readonly HubFilter[],
): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  for (const [name, given] of Object.entries(definition.methods)) {
    const { run, uploads, kind } = typeof given === 'function' ? { run: given, uploads: 0, kind: 'plain' } : given;
    const inputs = definition.input?.[name];
    const method: Method = {
      name,
      run: filtered(filters, name, run),
      inputs,
      uploads,
      isStreaming: kind === 'stream',
      // Without schemas: the function's parameters without the context and the uploads.
      arity: inputs?.length ?? Math.max(0, run.length - 1 - uploads),
      maxBytes: limits.perMethod[name] ?? limits.messageBytes,
    };
    methods.set(name, method);
    methods.set(name.toLowerCase(), method);
  }
  return methods;
}
