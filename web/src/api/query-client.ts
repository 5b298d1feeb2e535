import { QueryClient } from '@tanstack/react-query';
import { OfflineError, ProblemError } from './problem.ts';
import { currentSignIn, onSignInChange } from './sign-in.ts';
import { personOf } from './sign-in-state.ts';

const worthRepeating = (error: unknown) =>
  error instanceof OfflineError || (error instanceof ProblemError && error.status >= 502);

/** The page's memory of what the server said. It is emptied when another person, or nobody, is signed in. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A failing request says whether the network is there; navigator.onLine does not know.
        networkMode: 'always',
        // Which that mode turns off: what failed while the network was away is asked for again once it is back.
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (count, error) => count < 2 && worthRepeating(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  let last = personOf(currentSignIn());
  /** Whose pages are shown until others take their place. */
  let shownTo = last;
  onSignInChange(() => {
    const session = currentSignIn();
    const next = personOf(session);
    if (next === last) return;
    last = next;
    forget(client);
    if (session.status !== 'in') return;
    // Back before another page was opened: what is still shown is asked for again.
    if (next === shownTo) void client.refetchQueries({ type: 'active' });
    shownTo = next;
  });
  return client;
}

/** Removes every answer. A read that a screen still shows stays, without its answer, so that it can be asked again. */
function forget(client: QueryClient): void {
  const queries = client.getQueryCache();
  for (const query of queries.getAll()) {
    void query.cancel({ silent: true });
    if (query.isActive()) query.reset();
    else queries.remove(query);
  }
  client.getMutationCache().clear();
}
