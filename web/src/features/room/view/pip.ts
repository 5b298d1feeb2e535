import { createStore, type Store } from '../core/store.ts';

/** Document Picture-in-Picture (WICG): a window of the page above all others. Chromium has it. */
interface DocumentPictureInPicture {
  requestWindow(options: { width: number; height: number }): Promise<Window>;
}

const store = createStore<Window | undefined>(undefined);

/** The open window, if any. It outlives the page of the room, while the visit goes on in a corner. */
export const pipWindow: Pick<Store<Window | undefined>, 'get' | 'subscribe'> = store;

const api = (): DocumentPictureInPicture | undefined =>
  (globalThis as { documentPictureInPicture?: DocumentPictureInPicture }).documentPictureInPicture;

/** Whether the browser can show the visit above other windows, with its tools or as a bare video. */
export const canPip = (): boolean => api() !== undefined || document.pictureInPictureEnabled === true;

/** Size of the window, px; the browser remembers another one. */
const size = { width: 380, height: 520 } as const;

/**
 * Opens the window, or closes the open one. Browsers without windows of this kind show the first video alone. Rejects when the browser
 * refuses, for example without a gesture of the user.
 */
export async function togglePip(): Promise<void> {
  const open = store.get();
  if (open) return open.close();
  const windows = api();
  if (!windows) return toggleVideoPip();
  const win = await windows.requestWindow(size);
  win.document.documentElement.lang = document.documentElement.lang;
  win.document.title = document.title;
  win.document.body.className = 'room-pip rs-dark';
  win.document.adoptedStyleSheets = copyStyles(win);
  win.addEventListener('pagehide', () => store.set(undefined));
  store.set(win);
}

/** The visit is over. */
export function closePip(): void {
  store.get()?.close();
}

async function toggleVideoPip(): Promise<void> {
  if (document.pictureInPictureElement) return document.exitPictureInPicture();
  await document.querySelector<HTMLVideoElement>('.room-tile video')?.requestPictureInPicture();
}

/** The page's styles as sheets of the window. Sheets made by script need no permission of the page's security policy. */
function copyStyles(win: Window): CSSStyleSheet[] {
  const Sheet = (win as Window & { CSSStyleSheet: typeof CSSStyleSheet }).CSSStyleSheet;
  return [...document.styleSheets].flatMap((sheet) => {
    try {
      const copy = new Sheet();
      copy.replaceSync([...sheet.cssRules].map(({ cssText }) => cssText).join('\n'));
      return [copy];
    } catch {
      // A sheet of another origin, such as one of an extension.
      return [];
    }
  });
}
