import type { ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { to } from '../../paths.ts';
import { formatLongDate, formatMinute, now, today, wallPlace, wallTimeOf, wallToInstant } from '../../time/time.ts';
import type { Preview } from './appointment-drag.ts';
import { type ColumnModel, DayColumn } from './DayColumn.tsx';
import { type DayScale, toPx } from './day-layout.ts';
import { hueStyle, Initials } from './Initials.tsx';
import { NowLine } from './NowLine.tsx';
import { SlotCursor } from './SlotCursor.tsx';
import { texts } from './texts.ts';
import { useDragAppointment } from './use-drag-appointment.ts';
import { useMove } from './use-move.ts';
import { useSlotHint } from './use-slot-hint.ts';
import './day.css';

interface Props {
  date: string;
  zone: string;
  scale: DayScale;
  columns: readonly ColumnModel[];
  condensed: boolean;
  phone: boolean;
  /** The first minute of the company's day. */
  startsAt: number;
}

/** The day: columns of slots, and appointments that can be opened and moved by pointer and keyboard. */
export function DayGrid({ date, zone, scale, columns, condensed, phone, startsAt }: Props) {
  const navigate = useNavigate();
  const move = useMove(zone);
  const scroller = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
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
    scale,
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
  const slots = useSlotHint(body, scale, columns);
  // A move to another column changes the element's place in the document; the focus is restored.
  useLayoutEffect(() => focusAgain(body.current, dropped.current), [columns]);

  useLayoutEffect(() => {
    // Scrolls to now, or to the clinic's first hour.
    const from = isToday ? wallPlace(now(), zone).minute - 60 : startsAt;
    // The label of the hour overlaps its line by half.
    if (scroller.current) scroller.current.scrollTop = toPx(scale, Math.max(0, from - scale.start)) - 12;
    // oxlint-disable-next-line react/exhaustive-deps -- Only when a day is opened, not while it is used.
  }, []);

  const style = { '--row': `${scale.row}px`, '--columns': columns.length, '--hour': `${toPx(scale, 60)}px` };
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
      <Heads columns={columns} condensed={condensed} />
      <Hours scale={scale} />
      {/* For pointers; SlotCursor is the same for keys. */}
      <div
        ref={body}
        role="presentation"
        className="sch-body"
        style={{ height: toPx(scale, scale.end - scale.start) }}
        onPointerMove={(event) => (preview ? slots.hide() : slots.show(event))}
        onPointerLeave={slots.hide}
        onClick={(event) => {
          const place = slots.below(event);
          if (place) openSlot(place.column, place.minute);
        }}
      >
        <div ref={slots.hint} className="sch-hint" aria-hidden hidden />
        {bookable.length > 0 && (
          <SlotCursor scale={scale} startsAt={startsAt} columns={bookable} nameOf={nameOf} openSlot={openSlot} />
        )}
        {columns.map((column, index) => (
          <DayColumn
            key={column.provider.userId}
            column={column}
            index={index}
            scale={scale}
            heldId={preview?.home === index ? preview.box.entry.appointmentId : undefined}
            onPointerDown={held.onPointerDown}
            onKeyDown={held.onKeyDown}
            onBlur={held.onBlur}
            open={open}
          />
        ))}
        {preview && <Ghost preview={preview} scale={scale} />}
        {isToday && <NowLine zone={zone} scale={scale} />}
      </div>
    </div>
  );
}

function Heads({ columns, condensed }: Pick<Props, 'columns' | 'condensed'>) {
  return (
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
  );
}

function Hours({ scale }: { scale: DayScale }) {
  return (
    <div className="sch-times" aria-hidden>
      {hoursOf(scale).map((minute) => (
        <div key={minute} style={{ top: toPx(scale, minute - scale.start) }}>
          {formatMinute(minute).replace(':00', '')}
        </div>
      ))}
    </div>
  );
}

/** Where a dragged appointment would be. */
function Ghost({ preview: { box, column, minute }, scale }: { preview: Preview; scale: DayScale }) {
  const style = {
    left: `${(column / scale.columns) * 100}%`,
    top: toPx(scale, minute - scale.start),
    height: Math.max(scale.row, toPx(scale, box.end - box.start)),
  };
  return (
    <div className="sch-ghost" aria-hidden style={style}>
      {formatMinute(minute)} {box.entry.patient}
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
