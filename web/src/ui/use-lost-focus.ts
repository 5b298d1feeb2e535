import { type RefObject, useEffect, useRef } from 'react';

/**
 * The element takes the focus when `state` changes and the focus has nowhere to be, since what had it is gone: at the top of the document a
 * keyboard or a screen reader would have lost its place.
 */
export function useLostFocus<E extends HTMLElement>(state: boolean): RefObject<E | null> {
  const ref = useRef<E>(null);
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    before.current = state;
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) ref.current?.focus();
  }, [state]);
  return ref;
}
