import { useEffect, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { LinkPage } from './features/auth/LinkPage.tsx';
import { pageContainer, renderPage } from './page-root.ts';
import { accessCodeOf, patterns } from './paths.ts';

/** Shows the patient's first page in place of the static form; what was typed there already stays. */
export function showLight(): void {
  const typed = pageContainer().querySelector<HTMLInputElement>('[data-first="link"] input');
  flushSync(() => renderPage(<Light typed={typed?.value ?? ''} />));
}

function Light({ typed }: { typed: string }) {
  const path = useSyncExternalStore(onHashChange, linkPath);
  const code = accessCodeOf(path);
  const hasCode = code !== undefined;
  // While the code signs in, the visit's page is loaded.
  useEffect(() => {
    if (hasCode) loadNext();
  }, [hasCode]);
  return <LinkPage key={path} code={code} typed={typed} onTyping={loadNext} />;
}

/** What comes after the sign-in. What cannot be loaded now is asked for again when it is wanted. */
function loadNext(): void {
  void import('./app.tsx').catch(() => undefined);
  void import('./features/room/RoomPage.tsx').catch(() => undefined);
}

let lastLink: string = patterns.link;

/** The address, while it is ours: on the way to another page this one stays as it is. */
function linkPath(): string {
  const path = location.hash.slice(1);
  if (path === patterns.link || path.startsWith(`${patterns.link}/`)) lastLink = path;
  return lastLink;
}

function onHashChange(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
