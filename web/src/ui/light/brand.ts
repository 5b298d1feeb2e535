import { useSyncExternalStore } from 'react';

/** The look of this host's pages; '' = the usual one. */
interface Look {
  readonly brandName: string;
  readonly logoUrl: string;
  /** '#rrggbb', dark enough for white text. */
  readonly color: string;
}

const key = 'brand';
const listeners = new Set<() => void>();
// As last seen, so that the next page begins with it.
let look = JSON.parse(localStorage.getItem(key) ?? 'null') as Look | null;
paint();

/** The name of this host's brand. */
export const brandName = (): string => look?.brandName || 'Roomside';

/** This host's brand; null before it is known, and without one. */
export const useBrand = (): Look | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => look,
  );

/** Shows the brand of this host now and on its next pages. */
export function showBrand({ brandName: name, logoUrl, color }: Look): void {
  const next = name ? { brandName: name, logoUrl, color } : null;
  const text = JSON.stringify(next);
  if (text === JSON.stringify(look)) return;
  look = next;
  localStorage.setItem(key, text);
  paint();
  for (const listener of listeners) listener();
}

/** light.css takes the color for the head and the main buttons. */
function paint(): void {
  const { style, dataset } = document.documentElement;
  style.setProperty('--rs-brand', look?.color ?? '');
  if (look?.color) dataset['branded'] = '';
  else delete dataset['branded'];
}
