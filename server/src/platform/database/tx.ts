import type { CompiledQuery, Transaction } from 'kysely';
import type { DB } from './schema.ts';

export type Tx = Transaction<DB>;

/** Work for after the commit: pushes and the like. It runs only if the transaction is committed. */
export type AfterCommit = (effect: () => void) => void;

/** A statement of Kysely's, not sent yet; `R` is one of its rows. */
export interface Statement<R> {
  compile(by: Tx): CompiledQuery<R>;
}
