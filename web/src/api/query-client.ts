import { QueryClient } from '@tanstack/react-query';
import { OfflineError, ProblemError } from './problem.ts';
import { currentSignIn, onSignInChange } from './sign-in.ts';
import { personOf } from './sign-in-state.ts';

const worthRepeating = (error: unknown) =>
  error instanceof OfflineError || (error instanceof ProblemError && error.status >= 502);

/** The cache of the page. It is emptied when the signed-in person changes. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // Only a failing request shows that the network is down; navigator.onLine is unreliable.
        networkMode: 'always',
        // The network mode turns this off: failed reads are repeated after the reconnect.
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (count, error) => count < 2 && worthRepeating(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  let last = personOf(currentSignIn());
  /** The person whose pages are shown. */
  let shownTo = last;
  onSignInChange(() => {
    const signIn = currentSignIn();
    const next = personOf(signIn);
    if (next === last) return;
    last = next;
    forget(client);
    if (signIn.status !== 'in') return;
    // The same person again, before another page was opened: the shown reads are repeated.
    if (next === shownTo) void client.refetchQueries({ type: 'active' });
    shownTo = next;
  });
  return client;
}

/** Removes all results. A read that is still shown is reset, so that it can be repeated. */
function forget(client: QueryClient): void {
  const queries = client.getQueryCache();
  for (const query of queries.getAll()) {
    void query.cancel({ silent: true });
    if (query.isActive()) query.reset();
    else queries.remove(query);
  }
  client.getMutationCache().clear();
}
