import { useEffect, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { LinkPage } from './features/auth/LinkPage.tsx';
import { patterns } from './paths.ts';
import { Button } from './ui/light/Button.tsx';
import { Page } from './ui/light/Page.tsx';

export interface Mounted {
  unmount: () => void;
}

/** Puts the patient's first page in place of the static form; what was typed there already stays. */
export function mountLight(container: HTMLElement): Mounted {
  const typed = container.querySelector<HTMLInputElement>('[data-skeleton="link"] input');
  const early = { text: typed?.value ?? '', focused: typed !== null && document.activeElement === typed };
  container.replaceChildren();
  const root = createRoot(container);
  flushSync(() => root.render(<Light early={early} />));
  return root;
}

/** Stands where the rest of the program could not be loaded: no connection, or a version that is gone. */
export function mountFailure(container: HTMLElement): void {
  container.replaceChildren();
  createRoot(container).render(
    <Page title={texts.title}>
      <p className="rs-text">{texts.text}</p>
      <Button onClick={() => location.reload()}>{texts.reload}</Button>
    </Page>,
  );
}

const texts = {
  title: 'This page could not be loaded',
  text: 'Please check your connection, then try again. Nothing that was saved is lost.',
  reload: 'Try Again',
} as const;

function Light({ early }: { early: { text: string; focused: boolean } }) {
  const path = useSyncExternalStore(onHashChange, linkPath);
  const code = decode(path.slice(patterns.link.length + 1));
  const hasCode = code !== undefined;
  // While the code signs in, the visit's page is loaded.
  useEffect(() => {
    if (hasCode) loadNext();
  }, [hasCode]);
  return <LinkPage key={path} code={code} typed={early.text} onTyping={loadNext} />;
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

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment) || undefined;
  } catch {
    return segment;
  }
}
