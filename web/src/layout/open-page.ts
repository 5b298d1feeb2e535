import { useLayoutEffect, useSyncExternalStore } from 'react';
import { type createHashRouter, useLocation } from 'react-router';
import { settleTab } from '../guards.ts';
import { dismissPageQuestions } from '../ui/confirm.ts';
import { toast } from '../ui/toast.ts';

type Router = ReturnType<typeof createHashRouter>;
type Place = Pick<Router['state']['location'], 'key' | 'pathname' | 'search'>;

const placeOf = ({ key, pathname, search }: Place) => `${key} ${pathname}${search}`;

let open = '';
const listeners = new Set<() => void>();

/** Watches which page the router has opened: its guards have let it through. Toasts and questions about the page before it go. */
export function followPages(router: Pick<Router, 'state' | 'subscribe'>): void {
  let { pathname } = router.state.location;
  const note = ({ initialized, navigation, location }: Router['state']) => {
    if (!initialized || navigation.state !== 'idle' || open === placeOf(location)) return;
    open = placeOf(location);
    if (location.pathname !== pathname) {
      toast.pageChanged();
      dismissPageQuestions();
    }
    pathname = location.pathname;
    for (const listener of [...listeners]) listener();
  };
  router.subscribe(note);
  note(router.state);
}

/** Makes the tab that of the kind of person whose page is open, once that page has taken the place of the one before. */
export function useSettledTab(): void {
  const location = useLocation();
  const opened = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
  useLayoutEffect(() => {
    if (opened === placeOf(location)) settleTab(location.pathname);
  }, [opened, location]);
}
