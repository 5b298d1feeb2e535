import { useEffect, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { LinkPage } from './features/auth/LinkPage.tsx';
import { pageContainer, renderPage } from './page-root.ts';
import { accessCodeOf, patterns } from './paths.ts';

/** Replaces the static form by the patient's first page; typed text stays. */
export function showLight(): void {
  const typed = pageContainer().querySelector<HTMLInputElement>('[data-first="link"] input');
  flushSync(() => renderPage(<Light typed={typed?.value ?? ''} />));
}

function Light({ typed }: { typed: string }) {
  const path = useSyncExternalStore(onHashChange, linkPath);
  const code = accessCodeOf(path);
  const hasCode = code !== undefined;
  // The visit's page is loaded during the sign-in.
  useEffect(() => {
    if (hasCode) loadNext();
  }, [hasCode]);
  return <LinkPage key={path} code={code} typed={typed} onTyping={loadNext} />;
}

/** Loads the page after the sign-in. After a failure it is loaded when needed. */
function loadNext(): void {
  void import('./app.tsx').catch(() => undefined);
  void import('./features/room/RoomPage.tsx').catch(() => undefined);
}

let lastLink: string = patterns.link;

/** The current address while this page is shown; it does not change on the way to another page. */
function linkPath(): string {
  const path = location.hash.slice(1);
  if (path === patterns.link || path.startsWith(`${patterns.link}/`)) lastLink = path;
  return lastLink;
}

function onHashChange(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
