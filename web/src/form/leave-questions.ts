import type { BlockerFunction } from 'react-router';

export interface LeaveQuestion {
  title?: string;
  text: string;
  yes: string;
  no: string;
}

/** Returns the question that is asked before the page at a path is opened; undefined to open it. */
type Hold = (path: string) => LeaveQuestion | undefined;

const held = new Set<Hold>();

/** Asks before other pages are opened. Returns a function that ends it. */
export function holdPage(hold: Hold): () => void {
  // A new function each time: two parts of a page may block leaving.
  const own: Hold = (path) => hold(path);
  held.add(own);
  return () => void held.delete(own);
}

/** The first question before the page at a path; undefined without one. */
export function leaveQuestion(path: string): LeaveQuestion | undefined {
  for (const hold of held) {
    const question = hold(path);
    if (question) return question;
  }
  return undefined;
}

/** For the router's one blocker. */
export const holdsPage: BlockerFunction = ({ currentLocation, nextLocation }) =>
  currentLocation.pathname !== nextLocation.pathname && leaveQuestion(nextLocation.pathname) !== undefined;

/**
 * A typed address, or a link with a bare hash, is in the history before the router can block it, and unloads nothing. While something
 * blocks leaving, takes it back and opens it by the router, which asks. Call before the router is created: its listener comes second then.
 */
export function routeTypedAddresses(open: (path: string) => void): void {
  let typed: string | undefined;
  addEventListener('popstate', (event) => {
    if (typed !== undefined) {
      // The way back to the page.
      event.stopImmediatePropagation();
      const path = typed;
      typed = undefined;
      open(path);
      return;
    }
    const path = location.hash.slice(1) || '/';
    // The router's own entries have a state.
    if (event.state !== null || !leaveQuestion(path.split('?')[0] ?? path)) return;
    event.stopImmediatePropagation();
    typed = path;
    history.back();
  });
}
