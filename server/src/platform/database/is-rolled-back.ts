import pg from 'pg';
import { Refusal } from '../refusal.ts';

/**
 * SQLSTATE of errors that may be those of a connection or a server that has ended, so that they say nothing about a commit: connection (08),
 * operator (57), system (58), internal (XX), and 40003, statement completion unknown.
 */
const uncertain = /^(08|57|58|XX|40003)/;

/**
 * Whether an error of a transaction proves that nothing was committed: a refusal by its work, or an error that PostgreSQL has reported. A
 * connection that breaks during the commit proves nothing.
 */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code !== undefined && !uncertain.test(error.code);
  return error instanceof Refusal;
}
