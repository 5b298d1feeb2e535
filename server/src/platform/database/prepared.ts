import type { CompiledQuery } from 'kysely';
import type { Statement, Tx } from './tx.ts';

/** Stands in a statement for the argument of that name. Reading it as a value is a mistake: it has none yet. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`The statement was built by the value of ${this.name}, which is known only when it runs.`);
  }
}

/**
 * A statement that is built and compiled by its first use, and after that only filled in: Kysely's builders cost more
 * than sending what they make.
 *
 * `build` runs once for each set of names that the arguments come with (`undefined` = left out), so columns to set may
 * differ from call to call. It may put arguments only where a value stands, and decide nothing by them.
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
        const shape = names.join();
        let known = compiled.get(shape);
        if (!known) {
          const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
          known = build(tx, placeholders as Args).compile(tx);
          compiled.set(shape, known);
        }
        const parameters = known.parameters.map((one) => (one instanceof Placeholder ? given[one.name] : one));
        return { ...known, parameters };
      },
    };
  };
}
