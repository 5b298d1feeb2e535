import { type FocusEvent, useRef } from 'react';

/** Where the focus was before it came into an element. */
export interface FocusBefore {
  /** For the element's `onFocus`. */
  onFocus(event: FocusEvent): void;
  /**
   * Moves the focus back if it is in the element and the keyboard brought it there, before the element disappears: to the page's title if what had
   * it is gone.
   */
  giveBack(element: Element | null): void;
}

export function useFocusBefore(): FocusBefore {
  const before = useRef<EventTarget>(null);
  return {
    onFocus: ({ currentTarget, relatedTarget }) => {
      if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
    },
    giveBack: (element) => {
      const { activeElement } = document;
      if (!element?.contains(activeElement) || !activeElement?.matches(':focus-visible')) return;
      const { current: last } = before;
      if (last instanceof HTMLElement && last.isConnected) last.focus();
      else document.querySelector<HTMLElement>('h1[tabindex="-1"]')?.focus();
    },
  };
}
