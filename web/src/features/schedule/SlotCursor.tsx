import { useEffect, useRef, useState } from 'react';
import { formatMinute } from '../../time/time.ts';
import { type DayScale, toPx } from './day-layout.ts';
import { texts } from './texts.ts';

interface Props {
  scale: DayScale;
  startsAt: number;
  /** The columns that take new appointments, in order. */
  columns: readonly number[];
  nameOf: (column: number) => string;
  openSlot: (column: number, minute: number) => void;
}

/** The slots for the keyboard: one button that arrow keys move over the grid, instead of hundreds in the tab order. */
export function SlotCursor({ scale, startsAt, columns, nameOf, openSlot }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  /** `place` is the index in `columns`. */
  const [wanted, setWanted] = useState({ place: 0, minute: startsAt });
  const [moved, setMoved] = useState(false);
  const last = columns.length - 1;
  const place = Math.min(wanted.place, last);
  const column = columns[place] ?? 0;
  const minute = Math.max(scale.start, Math.min(wanted.minute, scale.end - scale.slot));
  const label = texts.slot(formatMinute(minute), nameOf(column));

  useEffect(() => {
    if (moved) button.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [moved, column, minute]);

  function onKeyDown(event: React.KeyboardEvent) {
    const toRow = (to: number) => ({ place, minute: Math.max(scale.start, Math.min(to, scale.end - scale.slot)) });
    const toColumn = (to: number) => ({ minute, place: Math.max(0, Math.min(to, last)) });
    const hour = Math.max(60, scale.slot);
    const steps: Record<string, () => { place: number; minute: number }> = {
      ArrowUp: () => toRow(minute - scale.slot),
      ArrowDown: () => toRow(minute + scale.slot),
      PageUp: () => toRow(minute - hour),
      PageDown: () => toRow(minute + hour),
      Home: () => toRow(scale.start),
      End: () => toRow(scale.end),
      ArrowLeft: () => toColumn(place - 1),
      ArrowRight: () => toColumn(place + 1),
    };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setMoved(true);
    setWanted(step());
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className="sch-cursor"
        aria-label={label}
        aria-describedby="sch-slot-how"
        style={{ left: `${(column / scale.columns) * 100}%`, top: toPx(scale, minute - scale.start) }}
        onKeyDown={onKeyDown}
        onClick={() => openSlot(column, minute)}
      >
        + {formatMinute(minute)}
      </button>
      <span id="sch-slot-how" hidden>
        {texts.slotHow}
      </span>
      {/* Screen readers do not announce a changed name of the focused element. */}
      <span className="sch-hidden" aria-live="polite">
        {moved ? label : ''}
      </span>
    </>
  );
}
