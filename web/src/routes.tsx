import type { ComponentType } from 'react';
import { type MiddlewareFunction, type RouteObject, redirect, useParams } from 'react-router';
import { OfflineError } from './api/problem.ts';
import { LinkPage } from './features/auth/LinkPage.tsx';
import { guardLink, guardLogin, guardPage } from './guards.ts';
import { AppShell } from './layout/AppShell.tsx';
import { NotFoundPage } from './layout/NotFoundPage.tsx';
import { OfflinePage } from './layout/OfflinePage.tsx';
import { rememberOffline } from './layout/offline.ts';
import { RouteError } from './layout/RouteError.tsx';
import { patterns, to } from './paths.ts';
import { Splash } from './ui/light/Splash.tsx';

/** Loads a screen when it is first wanted: `page(async () => (await import('./X.tsx')).XPage)`. */
export function page(load: () => Promise<ComponentType>): NonNullable<RouteObject['lazy']> {
  return async () => ({ Component: await load() });
}

/** Runs before every visit of a page below it, also of its neighbours; sends elsewhere, or to /offline. */
export function guard(where: (path: string) => Promise<string | undefined>): MiddlewareFunction {
  return async ({ request }) => {
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const elsewhere = await where(path).catch((error: unknown) => {
      if (!(error instanceof OfflineError)) throw error;
      rememberOffline(path);
      return to.offline();
    });
    if (elsewhere && elsewhere !== path) throw redirect(elsewhere);
  };
}

/** A guarded screen (ROUTE-9). */
export const guarded: MiddlewareFunction[] = [guard(guardPage)];
/** For /login: whoever is signed in goes on. */
export const loginGuarded: MiddlewareFunction[] = [guard(guardLogin)];

function LinkRoute() {
  const { code } = useParams();
  return <LinkPage key={code ?? ''} code={code} />;
}

/** Every screen that exists (ROUTE-1 to ROUTE-9). */
export const routes: RouteObject[] = [
  {
    HydrateFallback: Splash,
    ErrorBoundary: RouteError,
    children: [
      { path: patterns.home, Component: Splash, loader: () => redirect(to.link()) },
      { path: patterns.link, Component: LinkRoute, middleware: [guard(guardLink)] },
      { path: patterns.linkCode, Component: LinkRoute },
      {
        Component: AppShell,
        children: [{ path: patterns.notFound, Component: NotFoundPage }],
      },
      { path: patterns.offline, Component: OfflinePage },
      { path: '*', Component: Splash, loader: () => redirect(to.notFound()) },
    ],
  },
];
