import type { CompiledQuery } from 'kysely';
import type { Statement, Tx } from './tx.ts';

/** Stands for an argument while a statement is built. Using it as a value throws. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`The statement depends on the value of ${this.name}, which is known only when it runs.`);
  }
}

/**
 * Returns a statement that is compiled once; later uses only replace its parameters. Building a query by Kysely takes
 * longer than sending it.
 *
 * `build` runs once for each set of argument names (without those that are `undefined`), so the columns to set may differ.
 * It may use an argument only as a parameter of the statement, not to decide what the statement is.
 */
export function prepared<Args extends object, R>(
  build: (tx: Tx, args: Args) => Statement<R>,
): (args: Args) => Statement<R> {
  const compiled = new Map<string, CompiledQuery<R>>();
  return (args) => {
    const given = args as Readonly<Record<string, unknown>>;
    return {
      compile(tx) {
        const names = Object.keys(given).filter((name) => given[name] !== undefined);
        const signature = names.join();
        let known = compiled.get(signature);
        if (!known) {
          const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
          known = build(tx, placeholders as Args).compile(tx);
          compiled.set(signature, known);
        }
        const parameters = known.parameters.map((one) => (one instanceof Placeholder ? given[one.name] : one));
        return { ...known, parameters };
      },
    };
  };
}
