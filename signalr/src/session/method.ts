import type { AnyDefinition, Limits } from '../hub.ts';
import type { AnyRun } from '../method-kinds.ts';
import type { StandardSchema } from '../types.ts';

/** A hub method, ready to be called. */
export interface Method {
  readonly name: string;
  readonly run: AnyRun;
  readonly inputs: readonly StandardSchema[] | undefined;
  /** Arguments, uploads not counted. */
  readonly arity: number;
  /** Streams that the client sends along; they come after the arguments. */
  readonly uploads: number;
  /** Whether it answers with a stream. */
  readonly streams: boolean;
  /** The largest message that may call it, bytes. */
  readonly maxBytes: number;
}

/** The methods of a hub by name, and by name in small letters. */
export function prepareMethods(definition: AnyDefinition, limits: Limits): ReadonlyMap<string, Method> {
  const methods = new Map<string, Method>();
  for (const [name, given] of Object.entries(definition.methods)) {
    const { run, uploads, kind } = typeof given === 'function' ? { run: given, uploads: 0, kind: 'plain' } : given;
    const inputs = definition.input?.[name];
    const method: Method = {
      ...{ name, run, inputs, uploads, streams: kind === 'stream' },
      // Without schemas the method's own parameters count, less the context and the uploads.
      arity: inputs?.length ?? Math.max(0, run.length - 1 - uploads),
      maxBytes: limits.perMethod[name] ?? limits.messageBytes,
    };
    methods.set(name, method);
    methods.set(name.toLowerCase(), method);
  }
  return methods;
}
