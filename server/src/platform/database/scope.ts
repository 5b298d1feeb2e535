import { AsyncLocalStorage } from 'node:async_hooks';
import { type Share, serverShare } from './turns.ts';

interface Scope {
  readonly share: Share;
  /** True while the work of a transaction runs; false again once it has ended, for what was started in it and goes on. */
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs `work` on behalf of a caller: the transactions that it opens count as theirs. */
export function onBehalfOf<T>(share: Share, work: () => T): T {
  return scopes.run({ share, isOpen: false }, work);
}

/** Whose work runs; the server's own where no caller is known. */
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
 * A transaction holds locks and one of few connections, so inside it nothing waits for anything but its own statements:
 * no password hash, no mail server, no second transaction.
 *
 * @param what what would wait, for the error
 * @throws Error inside a transaction: a mistake in the code, whatever the data
 */
export function requireNoTransaction(what: string): void {
  if (scopes.getStore()?.isOpen) throw new Error(`${what} inside a transaction.`);
}
