import { hasBegun } from '@roomside/contract/appointments/over.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatMinute } from '../../time/time.ts';
import { toast } from '../../ui/toast.ts';
import type { ColumnModel } from './DayColumn.tsx';
import { type DayScale, landing, type Placed } from './day-layout.ts';
import { texts } from './texts.ts';

/** An appointment that is being moved, and its target. */
export interface Preview {
  box: Placed;
  /** The original column. */
  home: number;
  column: number;
  minute: number;
}

interface Options {
  sheet: DayScale;
  columns: readonly ColumnModel[];
  body: RefObject<HTMLElement | null>;
  /** The scrolling element; undefined = the window. */
  scroller: RefObject<HTMLElement | null> | undefined;
  say: (words: string) => void;
  onDrop: (box: Placed, column: number, minute: number) => void;
}

/** A shorter movement is a click, px. */
const threshold = 5;
/** A touch that rests this long picks up; one that moves earlier scrolls, ms. */
const longPressMs = 400;
/** Distance from an edge at which the grid scrolls, px. */
const edge = 48;
const arrows: Record<string, readonly [columns: number, rows: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
/** Why an appointment cannot be picked up here; undefined when it can. */
const whyFixed = ({ entry: { status }, isContinued }: Placed) =>
  hasBegun(status) ? refusals['has-started'].text : isContinued ? texts.beganBefore : undefined;

/** SCHED-3: pick up, move and drop, by mouse, touch and keyboard. */
export function useDragAppointment(options: Options) {
  const [preview, setPreview] = useState<Preview>();
  /** What is being moved; written by the handlers only, so that a late render cannot restore an old value. */
  const held = useRef<Preview>(undefined);
  const latest = useRef(options);
  useLayoutEffect(() => {
    latest.current = options;
  });
  const stopDrag = useRef<() => void>(undefined);
  useEffect(() => () => stopDrag.current?.(), []);

  // The handlers are stable, so that they do not cause columns to render.
  const handlers = useMemo(() => {
    const show = (next: Preview | undefined) => {
      held.current = next;
      setPreview(next);
    };
    const nameOf = (column: number) => latest.current.columns[column]?.provider.name ?? '';
    const lengthOf = ({ start, end }: Placed) => end - start;
    /** Returns the nearest column that accepts appointments. */
    const taking = (column: number, fallback: number) => {
      const { columns } = latest.current;
      const within = Math.max(0, Math.min(column, columns.length - 1));
      return columns[within]?.provider.isFormer ? fallback : within;
    };
    const drop = ({ box, home, column, minute }: Preview) => {
      show(undefined);
      if (column === home && minute === box.start) return latest.current.say(texts.cancelledMove(box.entry.patient));
      latest.current.say(texts.dropped(box.entry.patient, formatMinute(minute), nameOf(column)));
      latest.current.onDrop(box, column, minute);
    };
    const cancel = () => {
      const { current: dropped } = held;
      if (!dropped) return;
      show(undefined);
      latest.current.say(texts.cancelledMove(dropped.box.entry.patient));
    };

    function onPointerDown(down: React.PointerEvent<HTMLElement>, box: Placed, home: number) {
      if (down.button !== 0 || !down.isPrimary || stopDrag.current) return;
      const element = down.currentTarget;
      const { pointerId, clientX, clientY, pointerType } = down;
      const isTouch = pointerType === 'touch';
      const top = latest.current.body.current?.getBoundingClientRect().top ?? 0;
      let at = { x: clientX, y: clientY };
      let carries = false;
      let frame = 0;

      const pickUp = () => {
        const why = whyFixed(box);
        if (why) return stop(() => toast.info(why));
        carries = true;
        element.setPointerCapture(pointerId);
        follow();
        frame = requestAnimationFrame(scrollAlong);
      };
      const timer = isTouch ? setTimeout(pickUp, longPressMs) : undefined;
      const follow = () => {
        const { body, sheet } = latest.current;
        const rect = body.current?.getBoundingClientRect();
        if (!rect) return;
        const column = taking(Math.floor(((at.x - rect.left) / rect.width) * sheet.columns), home);
        const rows = Math.round((at.y - clientY + top - rect.top) / sheet.row);
        const minute = landing(sheet, box.start, lengthOf(box), rows);
        const { current: before } = held;
        if (before?.column !== column || before.minute !== minute) show({ box, home, column, minute });
      };
      const scrollAlong = () => {
        const target = latest.current.scroller?.current;
        const view = target?.getBoundingClientRect() ?? { top: 56, bottom: window.innerHeight };
        const by = at.y < view.top + edge ? -8 : at.y > view.bottom - edge ? 8 : 0;
        if (by !== 0) {
          (target ?? window).scrollBy(0, by);
          follow();
        }
        frame = requestAnimationFrame(scrollAlong);
      };
      const onMove = (event: PointerEvent) => {
        if (event.pointerId !== pointerId) return;
        at = { x: event.clientX, y: event.clientY };
        const isFar = Math.hypot(at.x - clientX, at.y - clientY) >= threshold;
        if (carries) return follow();
        if (!isFar) return;
        if (isTouch) stop();
        else pickUp();
      };
      const onUp = (event: PointerEvent) => {
        if (event.pointerId !== pointerId) return;
        const carried = carries ? held.current : undefined;
        const wasCarried = carries;
        stop();
        if (wasCarried) swallowClick(element);
        if (carried) drop(carried);
      };
      const onCancel = () => {
        stop();
        cancel();
      };
      const onKey = (event: KeyboardEvent) => {
        if (event.key !== 'Escape' || !carries) return;
        onCancel();
        window.addEventListener('pointerup', () => swallowClick(element), { once: true });
      };
      // A long press would open the browser's context menu of a link.
      const onMenu = (event: Event) => isTouch && event.preventDefault();
      const listeners: [string, (event: never) => void][] = [
        ['pointermove', onMove],
        ['pointerup', onUp],
        ['pointercancel', onCancel],
        ['keydown', onKey],
        ['contextmenu', onMenu],
      ];
      function stop(then?: () => void) {
        clearTimeout(timer);
        cancelAnimationFrame(frame);
        for (const [name, listener] of listeners) window.removeEventListener(name, listener as EventListener);
        stopDrag.current = undefined;
        then?.();
      }
      for (const [name, listener] of listeners) window.addEventListener(name, listener as EventListener);
      stopDrag.current = () => stop();
    }

    function onKeyDown(event: React.KeyboardEvent<HTMLElement>, box: Placed, home: number) {
      const { sheet } = latest.current;
      const { current: picked } = held;
      const isPick = event.key === ' ';
      if (picked?.box.entry.appointmentId !== box.entry.appointmentId) {
        if (!isPick) return;
        event.preventDefault();
        const why = whyFixed(box);
        if (why) return void toast.info(why);
        show({ box, home, column: home, minute: box.start });
        return latest.current.say(texts.held(box.entry.patient));
      }
      if (isPick || event.key === 'Enter') {
        event.preventDefault();
        return drop(picked);
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        return cancel();
      }
      const arrow = arrows[event.key];
      if (!arrow) return;
      event.preventDefault();
      const column = taking(picked.column + arrow[0], picked.column);
      const minute = landing(sheet, picked.minute, lengthOf(box), arrow[1]);
      show({ ...picked, column, minute });
      latest.current.say(texts.place(formatMinute(minute), nameOf(column)));
    }

    return {
      onPointerDown,
      onKeyDown,
      /** Losing the focus cancels a move by keyboard, not one by pointer. */
      onBlur: () => {
        if (!stopDrag.current) cancel();
      },
      isDragging: () => stopDrag.current !== undefined && held.current !== undefined,
    };
  }, []);

  return useMemo(() => ({ ...handlers, preview }), [handlers, preview]);
}

/** The click event at the end of a drag is suppressed. */
function swallowClick(element: HTMLElement): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  element.addEventListener('click', swallow, { capture: true });
  setTimeout(() => element.removeEventListener('click', swallow, { capture: true }));
}
