import type { ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';

let root: Root | undefined;

/**
 * Renders `page` into #root. All parts of the web share one React root, so that the current page stays until the next one is
 * rendered completely: first the static page of index.html, then the patient's first page.
 */
export function renderPage(page: ReactNode): void {
  root ??= createRoot(pageContainer());
  root.render(page);
}

/** The element that contains all pages. */
export function pageContainer(): HTMLElement {
  const container = document.querySelector<HTMLElement>('#root');
  if (!container) throw new Error('index.html has no #root.');
  return container;
}
