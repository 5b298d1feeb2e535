import './zod-config.ts';
import { dropStartedRequests } from './api/request.ts';
import { firstPageOf, showStaticPage } from './first-page.ts';
import { loadDocumentOf } from './own-document.ts';
import { to } from './paths.ts';

/**
 * A small script that runs first: shows the static page of the address, starts the page's first request and loads its
 * code. A patient's first page is light: React and plain CSS. Other pages belong to the full application, which is loaded
 * when needed; from then on its router has all pages, /link included.
 */
let lightWanted = false;
let appWanted = false;

function open(): void {
  if (appWanted) return;
  const path = location.hash.slice(1);
  // ROUTE-1: the default.
  if (path === '' || path === '/') return location.replace(`#${to.link()}`);
  if (loadDocumentOf(path)) return;
  const page = firstPageOf(path);
  showStaticPage(page);
  dropStartedRequests();
  page.start?.();
  // The application loads it again, and shows an error.
  page.load?.().catch(() => undefined);
  if (page.isLight) {
    if (!lightWanted) void openLight();
  } else {
    appWanted = true;
    removeEventListener('hashchange', open);
    void openApp();
  }
}

async function openLight(): Promise<void> {
  lightWanted = true;
  try {
    const { showLight } = await import('./light.tsx');
    await parsed();
    await nextTask();
    if (appWanted) return;
    showLight();
    showBrandOfHost();
    // With a code the visit's page is next, and registers it.
    if (firstPageOf(location.hash.slice(1)).staticPage === 'link') registerWorker(isFormEmpty);
  } catch {
    if (!appWanted) await showFailure();
  }
}

/** The current page stays until the next one can replace it. */
async function openApp(): Promise<void> {
  try {
    const { showApp } = await import('./app.tsx');
    await parsed();
    await nextTask();
    await showApp();
    showBrandOfHost();
    registerWorker();
  } catch {
    await showFailure();
  }
}

/** Its name, logo and color. The page is shown without waiting for it. */
function showBrandOfHost(): void {
  void import('./load-brand.ts').then(({ loadBrand }) => loadBrand()).catch(() => undefined);
}

/** The script is async, so it may run before the document is parsed. */
async function parsed(): Promise<void> {
  if (document.readyState !== 'loading') return;
  await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
}

/** Lets the browser draw and react between two long tasks. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

const failure = {
  title: 'This page could not be loaded',
  text: 'Please check your connection and try again. Anything you saved is safe.',
  reload: 'Try Again',
} as const;

/** Shown when the application could not be loaded: no connection, or an old version. Needs the style sheet only. */
async function showFailure(): Promise<void> {
  await parsed();
  const add = <Tag extends keyof HTMLElementTagNameMap>(parent: Element, tag: Tag, className: string, text = '') => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    parent.append(element);
    return element;
  };
  document.body.replaceChildren();
  const main = add(add(document.body, 'div', 'rs-page'), 'main', 'rs-page-main');
  const title = add(main, 'h1', 'rs-title', failure.title);
  add(main, 'p', 'rs-text', failure.text);
  add(main, 'button', 'rs-button rs-button-primary', failure.reload).addEventListener('click', () => location.reload());
  title.tabIndex = -1;
  title.focus();
  document.title = `${failure.title} · Roomside`;
}

/** True while no code is typed; undefined once the application has replaced the light page. */
function isFormEmpty(): boolean | undefined {
  return appWanted ? undefined : document.querySelector<HTMLInputElement>('#access-code')?.value === '';
}

/** CONST-13: registers the service worker after the page is shown and idle, after 30 s at the latest. */
function registerWorker(mayReload?: () => boolean | undefined): void {
  if (!import.meta.env.PROD) return;
  const register = async () => {
    const worker = await import('./worker.ts');
    worker.registerWorker();
    if (mayReload) worker.reloadWhenFree(mayReload);
  };
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void register(), { timeout: 30_000 });
  else setTimeout(() => void register(), 30_000);
}

addEventListener('hashchange', open);
open();
