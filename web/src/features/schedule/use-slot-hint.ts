import { type MouseEvent, type PointerEvent, type RefObject, useRef } from 'react';
import { formatMinute } from '../../time/time.ts';
import type { ColumnModel } from './DayColumn.tsx';
import { type DayScale, slotAt, toPx } from './day-layout.ts';

/** The slot below the mouse, marked without rendering; none on appointments and on columns of former providers. */
export function useSlotHint(body: RefObject<HTMLElement | null>, scale: DayScale, columns: readonly ColumnModel[]) {
  const hint = useRef<HTMLDivElement>(null);

  /** Returns the column and slot below a pointer. */
  function below(event: MouseEvent): { column: number; minute: number } | undefined {
    const rect = body.current?.getBoundingClientRect();
    if (!rect || (event.target as HTMLElement).closest('a, button')) return undefined;
    const column = Math.floor(((event.clientX - rect.left) / rect.width) * columns.length);
    return columns[column]?.provider.isFormer === false
      ? { column, minute: slotAt(scale, event.clientY - rect.top) }
      : undefined;
  }

  function show(event: PointerEvent) {
    const place = event.pointerType === 'mouse' ? below(event) : undefined;
    const element = hint.current;
    if (!element) return;
    element.hidden = !place;
    if (!place) return;
    element.style.transform = `translateY(${toPx(scale, place.minute - scale.start)}px)`;
    element.style.left = `${(place.column / columns.length) * 100}%`;
    element.textContent = `+ ${formatMinute(place.minute)}`;
  }

  function hide() {
    if (hint.current) hint.current.hidden = true;
  }

  return { hint, below, show, hide };
}
