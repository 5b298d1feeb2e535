import type { ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';

let root: Root | undefined;

/**
 * Shows `page` in #root. All programs of the web share one React root, so that what is shown stays until the next page
 * is rendered completely: first the static page of index.html, then the patient's first page.
 */
export function renderPage(page: ReactNode): void {
  root ??= createRoot(pageContainer());
  root.render(page);
}

/** The element that holds every page. */
export function pageContainer(): HTMLElement {
  const container = document.querySelector<HTMLElement>('#root');
  if (!container) throw new Error('index.html has no #root.');
  return container;
}
