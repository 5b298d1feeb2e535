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

/** Watches which page the router has opened, after its guards. Toasts and questions about the previous page are closed. */
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

/** Sets the tab's kind to that of the open page, after it has replaced the previous one. */
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
