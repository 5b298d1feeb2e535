import { use, useEffect, useRef } from 'react';
import { type NavigateOptions, UNSAFE_DataRouterContext, useLocation, useNavigate } from 'react-router';

/**
 * Returns whether the page that rendered the caller is still open: false as soon as another one is being opened. For what follows a call,
 * which may end after its page was left.
 */
export function useIsPageOpen(): () => boolean {
  const router = use(UNSAFE_DataRouterContext)?.router;
  const { pathname } = useLocation();
  const isRendered = useRef(false);
  useEffect(() => {
    isRendered.current = true;
    return () => {
      isRendered.current = false;
    };
  }, []);
  return () => {
    if (!router || !isRendered.current) return false;
    const { location, navigation } = router.state;
    return navigation.state === 'idle' && location.pathname === pathname;
  };
}

/** Opens the page that follows a call, or goes back by -1; does nothing when the page of the call was left meanwhile. */
export function useNavigateAfterCall(): (to: string | -1, options?: NavigateOptions) => Promise<void> {
  const navigate = useNavigate();
  const isPageOpen = useIsPageOpen();
  return async (to, options) => {
    if (!isPageOpen()) return;
    await (to === -1 ? navigate(to) : navigate(to, options));
  };
}
