import type { OpenTime, ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { memo } from 'react';
import { to } from '../../paths.ts';
import { type DayScale, type Placed, type PlacedBusy, toPx } from './day-layout.ts';
import { hueStyle } from './Initials.tsx';
import type { CalendarProvider } from './providers.ts';
import { StatusMark } from './StatusMark.tsx';
import { texts } from './texts.ts';

/** The content of one provider's column. */
export interface ColumnModel {
  provider: CalendarProvider;
  placed: readonly Placed[];
  open: readonly OpenTime[];
  busy: readonly PlacedBusy[];
  /** Texts of closures and leave. */
  off: readonly string[];
}

interface Props {
  column: ColumnModel;
  index: number;
  scale: DayScale;
  /** The appointment that is being moved. */
  heldId: number | undefined;
  onPointerDown: (event: React.PointerEvent<HTMLElement>, box: Placed, column: number) => void;
  onKeyDown: (event: React.KeyboardEvent<HTMLElement>, box: Placed, column: number) => void;
  onBlur: () => void;
  open: (entry: ScheduleEntry) => void;
}

export const DayColumn = memo(function DayColumn({ column, index, scale, heldId, open, ...on }: Props) {
  const { provider, placed } = column;
  return (
    <div
      role="group"
      aria-label={texts.column(provider.name, placed.length)}
      className="sch-column"
      style={hueStyle(provider.hue)}
    >
      {column.open.map(({ start, end }) => (
        <i
          key={start}
          className="sch-open"
          style={{ top: toPx(scale, start - scale.start), height: toPx(scale, end - start) }}
        />
      ))}
      {column.busy.map((busy) => (
        <BusyBlock key={busy.start} busy={busy} scale={scale} />
      ))}
      <ul>
        {placed.map((box) => (
          <li key={box.entry.appointmentId}>
            <Box
              box={box}
              index={index}
              scale={scale}
              provider={provider}
              open={open}
              {...on}
              isHeld={heldId === box.entry.appointmentId}
            />
          </li>
        ))}
      </ul>
    </div>
  );
});

/** A busy time as far as it is within the shown hours. It can be booked over: a click chooses a slot. */
function BusyBlock({ busy, scale }: { busy: PlacedBusy; scale: DayScale }) {
  const start = Math.max(busy.start, scale.start);
  const end = Math.min(busy.end, scale.end);
  if (end <= start) return null;
  return (
    <p className="sch-busy" style={{ top: toPx(scale, start - scale.start), height: toPx(scale, end - start) }}>
      {texts.busy}
      <span className="sch-hidden"> {texts.busyTime(busy.from, busy.to)}</span>
    </p>
  );
}

/** '10:30 AM' becomes '10:30': a third of a column has no room, and the hour is labeled beside it. */
const withoutHalf = (time: string): string => time.replace(/ [AP]M$/, '');

interface BoxProps extends Omit<Props, 'column' | 'heldId'> {
  box: Placed;
  provider: CalendarProvider;
  isHeld: boolean;
}

function Box({ box, index, scale, provider, isHeld, open, onPointerDown, onKeyDown, onBlur }: BoxProps) {
  const { entry, start, end, lane, lanes, from, to: until, isContinued } = box;
  const { appointmentId, patientId, patient, status } = entry;
  // The accessible name starts with the visible text (WCAG 2.5.3). Elements hold all of the text, the space included:
  // checkers ignore the link's own text while it is scrolled out.
  const nameOf = isContinued ? texts.continuedEntry : texts.entry;
  const time = isContinued ? texts.until(until) : from;
  const height = Math.max(24, toPx(scale, end - start)) - 2;
  return (
    <a
      href={`#${to.appointmentEdit({ patient: patientId, id: appointmentId })}`}
      className="sch-entry"
      data-appointment={appointmentId}
      data-status={status}
      data-held={isHeld || undefined}
      data-narrow={lanes > 2 || undefined}
      data-small={height < 40 || undefined}
      draggable={false}
      aria-label={nameOf(patient, from, until, provider.name, texts.status[status])}
      aria-describedby="sch-entry-how"
      // A narrow lane has no room for the name.
      title={`${patient}, ${time}`}
      style={{
        top: toPx(scale, start - scale.start) + 1,
        height,
        left: `calc((100% - 12px) * ${lane / lanes})`,
        width: `calc((100% - 12px) / ${lanes} - 2px)`,
      }}
      onPointerDown={(event) => onPointerDown(event, box, index)}
      onKeyDown={(event) => onKeyDown(event, box, index)}
      onBlur={onBlur}
      onClick={(event) => {
        if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        open(entry);
      }}
    >
      <StatusMark status={status} />
      <b>{patient}</b>
      <span>{` ${lanes > 2 ? withoutHalf(time) : time}`}</span>
    </a>
  );
}
