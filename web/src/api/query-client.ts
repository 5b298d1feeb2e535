import { QueryClient } from '@tanstack/react-query';
import { OfflineError, ProblemError } from './problem.ts';
import { currentSession, onSessionChange } from './sign-in.ts';

const worthRepeating = (error: unknown) =>
  error instanceof OfflineError || (error instanceof ProblemError && error.status >= 502);

/** The page's memory of what the server said. It is emptied when another person, or nobody, is signed in. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A failing request says whether the network is there; navigator.onLine does not know.
        networkMode: 'always',
        staleTime: 5_000,
        retry: (count, error) => count < 2 && worthRepeating(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  const who = () => {
    const session = currentSession();
    return session.status === 'in' ? `${session.kind} ${session.claims.sub}` : session.kind;
  };
  let last = who();
  onSessionChange(() => {
    const next = who();
    if (next !== last) client.clear();
    last = next;
  });
  return client;
}
