import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { addDays } from '../../time/time.ts';
import { addMonths } from './month.ts';

interface MonthGrid {
  date: string;
  weeks: readonly (readonly string[])[];
  /** Opens the month of a date that is not shown. */
  choose: (date: string) => void;
}

const steps: Record<string, (date: string) => string> = {
  ArrowLeft: (date) => addDays(date, -1),
  ArrowRight: (date) => addDays(date, 1),
  ArrowUp: (date) => addDays(date, -7),
  ArrowDown: (date) => addDays(date, 7),
  PageUp: (date) => addMonths(date, -1),
  PageDown: (date) => addMonths(date, 1),
};

/** One day is in the tab order; arrow keys move from it, Page Up and Page Down by months. */
export function useMonthKeys({ date, weeks, choose }: MonthGrid): {
  table: RefObject<HTMLTableElement | null>;
  tabStop: string;
  onKeyDown: (event: KeyboardEvent) => void;
  onFocus: (event: React.FocusEvent) => void;
} {
  const table = useRef<HTMLTableElement>(null);
  const [stop, setStop] = useState(date);
  // The day that was chosen last, until its month is shown. Further keys begin there, however fast they are.
  const wanted = useRef<string>(undefined);
  const isShown = (day: string) => weeks.some((week) => week.includes(day));

  const focus = (day: string) => table.current?.querySelector<HTMLElement>(`a[data-date="${day}"]`)?.focus();
  // Before the next key: the focused day may have been removed.
  useLayoutEffect(() => {
    setStop(date);
    const chosen = wanted.current;
    wanted.current = undefined;
    // A link outside may have been chosen meanwhile; it keeps the focus.
    const { activeElement } = document;
    const isHere = activeElement === document.body || table.current?.contains(activeElement);
    if (chosen === undefined || !isHere) return;
    focus(date);
    wanted.current = chosen === date ? undefined : chosen;
  }, [date]);

  return {
    table,
    tabStop: isShown(stop) ? stop : date,
    onKeyDown: (event) => {
      const focused = (event.target as HTMLElement).closest<HTMLElement>('a[data-date]')?.dataset['date'];
      const from = wanted.current ?? focused;
      const step = steps[event.key];
      if (!focused || !from || !step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const next = step(from);
      if (!wanted.current && isShown(next) && !event.key.startsWith('Page')) return focus(next);
      wanted.current = next;
      choose(next);
    },
    onFocus: (event) => {
      const day = (event.target as HTMLElement).dataset['date'];
      if (!day) return;
      wanted.current = undefined;
      setStop(day);
    },
  };
}

/** The date of a plain click on a day's link, which the page handles; other clicks are the browser's. */
export function clickedDate(event: React.MouseEvent): string | undefined {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const day = (event.target as HTMLElement).closest<HTMLElement>('a[data-date]')?.dataset['date'];
  if (day) event.preventDefault();
  return day;
}
