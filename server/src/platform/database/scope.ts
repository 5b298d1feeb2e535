import { AsyncLocalStorage } from 'node:async_hooks';
import { type Share, serverShare } from './turns.ts';

interface Scope {
  readonly share: Share;
  /** True while the work of a transaction runs. False after it, also for asynchronous work that was started in it. */
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work` on behalf of a caller: its transactions and password hashes count towards their share. */
export function onBehalfOf<T>(share: Share, work: () => T): T {
  return scopes.run({ share, isOpen: false }, work);
}

/** The share of the current caller; the server's share when there is none. */
export const currentShare = (): Share => scopes.getStore()?.share ?? serverShare;

/** Runs the work of a transaction, in which {@link requireNoTransaction} throws. */
export async function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  const scope: Scope = { share: currentShare(), isOpen: true };
  try {
    return await scopes.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

/**
 * Throws inside a transaction. A transaction holds locks and one of few connections, so it must wait for its own
 * statements only: not for a password hash, a mail server or a second transaction (record 028).
 *
 * @param what names the operation in the error
 */
export function requireNoTransaction(what: string): void {
  if (scopes.getStore()?.isOpen) throw new Error(`${what} inside a transaction.`);
}
