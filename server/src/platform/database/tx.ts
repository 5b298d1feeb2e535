import type { CompiledQuery, Transaction } from 'kysely';
import type { DB } from './schema.ts';

export type Tx = Transaction<DB>;

/** Registers work, such as a push, that runs after the commit and only then. */
export type AfterCommit = (effect: () => void) => void;

/** A Kysely statement that has not been sent; `R` is the type of its rows. */
export interface Statement<R> {
  compile(by: Tx): CompiledQuery<R>;
}

/** Statements by the types of their rows, for one round trip. */
export type Statements<Rows extends readonly unknown[]> = readonly [...{ [K in keyof Rows]: Statement<Rows[K]> }];

/** The rows of each of these statements. */
export type RowsOf<Rows extends readonly unknown[]> = { -readonly [K in keyof Rows]: Rows[K][] };
