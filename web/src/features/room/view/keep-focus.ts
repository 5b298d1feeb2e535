import { type RefObject, useEffectEvent, useLayoutEffect, useRef } from 'react';

/** Whether the focus is on a tool, in the bar or in the sheet of a phone: the user has opened what is shown next. */
export const isToolFocused = (): boolean => document.activeElement?.closest('[data-tool], .room-sheet') != null;

/** The button of a tool, if it is in the bar. */
export const buttonOf = (tool: string): HTMLElement | null => document.querySelector(`[data-tool="${tool}"]`);

/**
 * Keeps the focus in the room when an element disappears that has it: it goes to the tool that has opened the element, else to the sheet of tools,
 * the title, or the video when the bar is hidden.
 */
export function useKeptFocus<E extends HTMLElement>(tool?: string): RefObject<E | null> {
  const ref = useRef<E>(null);
  const keep = useEffectEvent(() =>
    focusFirst([...(tool ? [`[data-tool="${tool}"]`, '[data-tool="more"]'] : []), ...rest]),
  );
  useLayoutEffect(() => {
    const element = ref.current;
    return () => {
      if (element?.contains(document.activeElement)) keep();
    };
  }, []);
  return ref;
}

const rest = ['.room-title', '.room-toggle'];

function focusFirst(selectors: readonly string[]): void {
  for (const selector of selectors) {
    const element = document.querySelector<HTMLElement>(selector);
    element?.focus();
    if (element && element === document.activeElement) return;
  }
}
