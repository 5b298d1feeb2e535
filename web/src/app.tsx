import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, startTransition, useEffect } from 'react';
import { createHashRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { offline } from './api/errors.ts';
import { createQueryClient } from './api/query-client.ts';
import { currentSignIn, onSignInChange } from './api/sign-in.ts';
// Listens for the sign-out before any room is opened.
import './api/unsent-place.ts';
import { routeTypedAddresses } from './form/leave-questions.ts';
import { followPerson } from './hub/follow-person.ts';
import { hub } from './hub/hub.ts';
import { followPages } from './layout/open-page.ts';
import { UpdatePrompt } from './layout/UpdatePrompt.tsx';
import { renderPage } from './page-root.ts';
import { to } from './paths.ts';
import { addStaffRoutes, routes } from './routes.tsx';
import { ensureTemporal } from './time/temporal.ts';
import { LazyOverlays } from './ui/LazyOverlays.tsx';
import { toast } from './ui/toast.ts';

/**
 * Starts the full application: router and cache. The current page stays until the router's first page is rendered, and
 * then this resolves.
 */
export async function showApp(): Promise<void> {
  await ensureTemporal();
  const queryClient = createQueryClient();
  routeTypedAddresses((path) => void router.navigate(path));
  const router = createHashRouter(routes, { patchRoutesOnNavigation: addStaffRoutes });

  hub.onOffline(() => void router.navigate(to.offline()));
  addEventListener('online', () => toast.dismissText(offline));
  // The network may be another one now, also after a sleep.
  for (const event of ['online', 'offline'] as const) addEventListener(event, () => void hub.check());
  document.addEventListener('visibilitychange', () => void hub.check());
  followPerson(hub);
  followPages(router);
  let before = currentSignIn();
  onSignInChange(() => {
    const now = currentSignIn();
    const isSignOut = before.status === 'in' && now.status !== 'in' && before.kind === now.kind;
    before = now;
    // The guards of the current address redirect a signed-out person.
    if (isSignOut) void router.navigate(router.state.location, { replace: true });
  });

  await initialized(router);
  return new Promise((resolve) => {
    // Rendered in slices, so that a slow phone can draw and react in between.
    startTransition(() =>
      renderPage(
        <StrictMode>
          <QueryClientProvider client={queryClient}>
            <RouterProvider router={router} />
            <LazyOverlays />
            <UpdatePrompt />
            <Shown onShown={resolve} />
          </QueryClientProvider>
        </StrictMode>,
      ),
    );
  });
}

/** Resolves when the first page's guards have run and its code is loaded. */
function initialized(router: ReturnType<typeof createHashRouter>): Promise<void> {
  return new Promise((resolve) => {
    if (router.state.initialized) return resolve();
    const stop = router.subscribe((state) => {
      if (!state.initialized) return;
      stop();
      resolve();
    });
  });
}

function Shown({ onShown }: { onShown: () => void }) {
  useEffect(onShown, [onShown]);
  return null;
}
