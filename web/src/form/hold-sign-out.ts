import { to } from '../paths.ts';
import { holdPage, type LeaveQuestion } from './leave-questions.ts';

/**
 * Asks before the sign-out while `question` returns one; the browser asks before the page is closed or reloaded (STATE-17). Other
 * pages open freely. Returns a function that ends both.
 */
export function holdSignOut(question: () => LeaveQuestion | undefined): () => void {
  const release = holdPage((path) => (path === to.logout() ? question() : undefined));
  const warn = (event: BeforeUnloadEvent) => {
    if (question()) event.preventDefault();
  };
  addEventListener('beforeunload', warn);
  return () => {
    release();
    removeEventListener('beforeunload', warn);
  };
}
