import type { ComponentType } from 'react';
import { type MiddlewareFunction, type RouteObject, redirect, replace } from 'react-router';
import { OfflineError } from './api/problem.ts';
import { guardLogin, guardPage } from './guards.ts';
import { rememberOffline } from './layout/offline.ts';
import { loadDocumentOf } from './own-document.ts';
import { to } from './paths.ts';

/** A lazily loaded screen: `page(async () => (await import('./X.tsx')).XPage)`. */
export function page(load: () => Promise<ComponentType>): NonNullable<RouteObject['lazy']> {
  return async () => ({ Component: await load() });
}

/** Runs before every navigation to a page below it; redirects elsewhere, or to /offline. */
export function guard(where: (path: string) => Promise<string | undefined>): MiddlewareFunction {
  return async ({ request }) => {
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const elsewhere = await where(path).catch((error: unknown) => {
      if (!(error instanceof OfflineError)) throw error;
      rememberOffline(path);
      return to.offline();
    });
    if (!elsewhere || elsewhere === path) return;
    // A typed address is in the history already; without `replace` it would redirect on every way back.
    if (location.hash.slice(1) !== path) throw redirect(elsewhere);
    if (loadDocumentOf(elsewhere, true)) await new Promise(() => {});
    throw replace(elsewhere);
  };
}

/** A guarded screen (ROUTE-9). */
export const guarded: MiddlewareFunction[] = [guard(guardPage)];
/** For /login: redirects a signed-in person. */
export const loginGuarded: MiddlewareFunction[] = [guard(guardLogin)];
