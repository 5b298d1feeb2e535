import type { ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { to } from '../../paths.ts';
import { formatLongDate, formatMinute, now, today, wallPlace, wallTimeOf, wallToInstant } from '../../time/time.ts';
import { type ColumnModel, DayColumn } from './DayColumn.tsx';
import { type DayScale, slotAt, toPx } from './day-layout.ts';
import { hueStyle, Initials } from './Initials.tsx';
import { NowLine } from './NowLine.tsx';
import { SlotCursor } from './SlotCursor.tsx';
import { texts } from './texts.ts';
import { useDragAppointment } from './use-drag-appointment.ts';
import { useMove } from './use-move.ts';
import './day.css';

interface Props {
  date: string;
  zone: string;
  sheet: DayScale;
  columns: readonly ColumnModel[];
  condensed: boolean;
  phone: boolean;
  /** The first minute of the company's day. */
  startsAt: number;
}

/** The day: columns of slots, and appointments that can be opened and moved by pointer and keyboard. */
export function DayGrid({ date, zone, sheet, columns, condensed, phone, startsAt }: Props) {
  const navigate = useNavigate();
  const move = useMove(zone);
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const hint = useRef<HTMLDivElement>(null);
  const dropped = useRef<number>(undefined);
  const [said, say] = useState('');
  const isToday = date === today(zone);

  const bookable = columns.flatMap(({ provider }, index) => (provider.isFormer ? [] : [index]));
  const nameOf = (column: number) => columns[column]?.provider.name ?? '';
  const openSlot = useCallback(
    (column: number, minute: number) => {
      const provider = columns[column]?.provider;
      if (!provider || provider.isFormer) return;
      const time = wallTimeOf(minute).replace(':', '');
      void navigate(to.appointmentEditSlot({ date, time, doctor: provider.userId }));
    },
    [columns, date, navigate],
  );
  const open = useCallback(
    ({ patientId, appointmentId }: ScheduleEntry) =>
      void navigate(to.appointmentEdit({ patient: patientId, id: appointmentId })),
    [navigate],
  );

  const held = useDragAppointment({
    sheet,
    columns,
    body,
    scroller: phone ? undefined : scroller,
    say,
    onDrop: ({ entry, start }, column, minute) => {
      const doctorId = columns[column]?.provider.userId ?? entry.doctorId;
      const startDate = minute === start ? entry.startDate : wallToInstant(date, wallTimeOf(minute), zone);
      dropped.current = entry.appointmentId;
      void move(entry, { startDate: new Date(startDate).toISOString(), doctorId }).then(() => {
        focusAgain(body.current, dropped.current);
        dropped.current = undefined;
      });
    },
  });
  const { preview } = held;
  // A move to another column changes the element's place in the document; the focus is restored.
  useLayoutEffect(() => focusAgain(body.current, dropped.current), [columns]);

  useLayoutEffect(() => {
    // Scrolls to now, or to the clinic's first hour.
    const from = isToday ? wallPlace(now(), zone).minute - 60 : startsAt;
    // The label of the hour overlaps its line by half.
    if (scroller.current) scroller.current.scrollTop = toPx(sheet, Math.max(0, from - sheet.start)) - 12;
    // oxlint-disable-next-line react/exhaustive-deps -- Only when a day is opened, not while it is used.
  }, []);
  useEffect(() => {
    const element = body.current;
    if (!element) return;
    // A drag by touch must not scroll; React's listeners are passive and cannot prevent it.
    const still = (event: TouchEvent) => held.isDragging() && event.preventDefault();
    element.addEventListener('touchmove', still, { passive: false });
    return () => element.removeEventListener('touchmove', still);
  }, [held]);

  /** Returns the column and slot below a pointer. */
  function below(event: React.MouseEvent): { column: number; minute: number } | undefined {
    const rect = body.current?.getBoundingClientRect();
    if (!rect || (event.target as HTMLElement).closest('a, button')) return undefined;
    const column = Math.floor(((event.clientX - rect.left) / rect.width) * columns.length);
    return columns[column]?.provider.isFormer === false
      ? { column, minute: slotAt(sheet, event.clientY - rect.top) }
      : undefined;
  }
  /** Follows the mouse without rendering. */
  function showHint(event: React.PointerEvent) {
    const place = event.pointerType === 'mouse' && !preview ? below(event) : undefined;
    const element = hint.current;
    if (!element) return;
    element.hidden = !place;
    if (!place) return;
    element.style.transform = `translateY(${toPx(sheet, place.minute - sheet.start)}px)`;
    element.style.left = `${(place.column / columns.length) * 100}%`;
    element.textContent = `+ ${formatMinute(place.minute)}`;
  }

  const style = { '--row': `${sheet.row}px`, '--columns': columns.length, '--hour': `${toPx(sheet, 60)}px` };
  return (
    <div
      ref={scroller}
      className="sch-day"
      data-condensed={condensed || undefined}
      role="group"
      aria-label={formatLongDate(date)}
      style={style as React.CSSProperties}
    >
      <p id="sch-entry-how" hidden>
        {texts.entryHow}
      </p>
      <div aria-live="assertive" className="sch-hidden">
        {said}
      </div>
      <div className="sch-heads">
        {columns.map(({ provider, off }) => (
          <div key={provider.userId} className="sch-head" style={hueStyle(provider.hue)}>
            <h2 title={provider.name}>
              <Initials provider={provider} /> <span>{condensed ? provider.lastName : provider.name}</span>
            </h2>
            {off.map((text) => (
              <p key={text} className="sch-off">
                {text}
              </p>
            ))}
          </div>
        ))}
      </div>
      <div className="sch-times" aria-hidden>
        {hoursOf(sheet).map((minute) => (
          <div key={minute} style={{ top: toPx(sheet, minute - sheet.start) }}>
            {formatMinute(minute).replace(':00', '')}
          </div>
        ))}
      </div>
      {/* For pointers; SlotCursor is the same for keys. */}
      <div
        ref={body}
        role="presentation"
        className="sch-body"
        style={{ height: toPx(sheet, sheet.end - sheet.start) }}
        onPointerMove={showHint}
        onPointerLeave={() => hint.current && (hint.current.hidden = true)}
        onClick={(event) => {
          const place = below(event);
          if (place) openSlot(place.column, place.minute);
        }}
      >
        <div ref={hint} className="sch-hint" aria-hidden hidden />
        {bookable.length > 0 && (
          <SlotCursor sheet={sheet} startsAt={startsAt} columns={bookable} nameOf={nameOf} openSlot={openSlot} />
        )}
        {columns.map((column, index) => (
          <DayColumn
            key={column.provider.userId}
            column={column}
            index={index}
            sheet={sheet}
            heldId={preview?.home === index ? preview.box.entry.appointmentId : undefined}
            onPointerDown={held.onPointerDown}
            onKeyDown={held.onKeyDown}
            onBlur={held.onBlur}
            open={open}
          />
        ))}
        {preview && (
          <div
            className="sch-ghost"
            aria-hidden
            style={{
              left: `${(preview.column / columns.length) * 100}%`,
              top: toPx(sheet, preview.minute - sheet.start),
              height: Math.max(sheet.row, toPx(sheet, preview.box.end - preview.box.start)),
            }}
          >
            {formatMinute(preview.minute)} {preview.box.entry.patient}
          </div>
        )}
        {isToday && <NowLine zone={zone} sheet={sheet} />}
      </div>
    </div>
  );
}

const hoursOf = ({ start, end }: DayScale) =>
  Array.from({ length: (end - start) / 60 }, (_, hour) => start + hour * 60);

/** Restores the focus to the moved element. */
function focusAgain(body: HTMLElement | null, appointmentId: number | undefined): void {
  if (appointmentId === undefined || document.activeElement !== document.body) return;
  body?.querySelector<HTMLElement>(`[data-appointment="${appointmentId}"]`)?.focus({ preventScroll: true });
}
