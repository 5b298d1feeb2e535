import './zod-config.ts';
import { type Mounted, mountFailure, mountLight } from './light.tsx';
import { to } from './paths.ts';

/**
 * A patient's first page is light: React and plain CSS. Everything else is another program, loaded when it is first
 * wanted; from then on its router has every page, /link included.
 */
let light: Mounted | undefined;
let appWanted = false;

function show(rootElement: HTMLElement): void {
  if (appWanted) return;
  const path = location.hash.slice(1);
  // ROUTE-1: the default.
  if (path === '' || path === '/') {
    location.replace(`#${to.link()}`);
  } else if (path === to.link() || path.startsWith(`${to.link()}/`)) {
    light ??= mountLight(rootElement);
  } else {
    appWanted = true;
    removeEventListener('hashchange', listener);
    loadPage(path);
    // The page that is there stays until the next one can take its place.
    import('./app.tsx')
      .then(({ mountApp }) => mountApp(rootElement, () => light?.unmount()))
      .catch(() => {
        light?.unmount();
        mountFailure(rootElement);
      });
  }
}

/** Asks for the code of a page together with the program's, which would ask for it only once it runs. */
function loadPage(path: string): void {
  const page =
    path === to.login()
      ? import('./features/auth/LoginPage.tsx')
      : path.startsWith('/patient/book/')
        ? import('./features/booking/BookingPage.tsx')
        : undefined;
  // The router asks again, and shows what is wrong.
  page?.catch(() => undefined);
}

const listener = () => {
  const root = document.querySelector<HTMLElement>('#root');
  if (!root) throw new Error('index.html has no #root.');
  show(root);
};
addEventListener('hashchange', listener);
// The script is async: it may be here before the page is.
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', listener, { once: true });
else listener();

// CONST-13: the worker must not compete with the page; registered when things are quiet, at the latest after 30 s.
if (import.meta.env.PROD) {
  const register = () => void import('./worker.ts').then(({ registerWorker }) => registerWorker());
  if ('requestIdleCallback' in globalThis) requestIdleCallback(register, { timeout: 30_000 });
  else setTimeout(register, 30_000);
}
