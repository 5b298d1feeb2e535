import { memo, useEffect, useMemo, useState } from 'react';
import { to } from '../../paths.ts';
import { formatLongDate, formatMinute } from '../../time/time.ts';
import { hueStyle } from './Initials.tsx';
import { type DayModel, isSameDay } from './month.ts';
import { clickedDate, useMonthKeys } from './month-keys.ts';
import type { CalendarProvider } from './providers.ts';
import { texts } from './texts.ts';
import './month.css';

export interface MonthProps {
  /** The date in the address. */
  date: string;
  /** 'YYYY-MM'. */
  month: string;
  weeks: readonly (readonly string[])[];
  today: string;
  /** Undefined while it loads. */
  model: ReadonlyMap<string, DayModel> | undefined;
  providers: readonly CalendarProvider[];
  openDay: (date: string) => void;
  choose: (date: string) => void;
}

/** The month on a large screen: a few hundred plain elements for a thousand appointments, redrawn only where they change. */
export function MonthGrid({ date, month, weeks, today, model, providers, openDay, choose }: MonthProps) {
  const { table, tabStop, onKeyDown, onFocus } = useMonthKeys({ date, weeks, choose });
  const fit = useLinesThatFit(weeks.length);
  const byId = useMemo(() => new Map(providers.map((provider) => [provider.userId, provider])), [providers]);
  return (
    <div
      role="presentation"
      data-keeps-focus
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onClick={(event) => {
        const day = clickedDate(event);
        if (day) openDay(day);
      }}
    >
      <table ref={table} className="sch-month" aria-busy={!model}>
        <Weekdays />
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <Day
                  key={day}
                  day={day}
                  model={model?.get(day)}
                  byId={byId}
                  fit={fit}
                  isOther={!day.startsWith(month)}
                  isToday={day === today}
                  isTabStop={day === tabStop}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Weekdays() {
  return (
    <thead>
      <tr>
        {texts.weekdays.map((name) => (
          <th key={name} scope="col">
            <abbr title={name}>{name.slice(0, 3)}</abbr>
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface DayProps {
  day: string;
  model: DayModel | undefined;
  byId: ReadonlyMap<number, CalendarProvider>;
  fit: number;
  isOther: boolean;
  isToday: boolean;
  isTabStop: boolean;
}

const Day = memo(
  function Day({ day, model, byId, fit, isOther, isToday, isTabStop }: DayProps) {
    const lines = model?.lines ?? [];
    const words = offWords(model, byId);
    const room = Math.max(1, fit - words.length);
    const shown = lines.length > room ? lines.slice(0, Math.max(1, room - 1)) : lines;
    return (
      <td
        className="sch-cell"
        data-other={isOther || undefined}
        data-today={isToday || undefined}
        data-closed={(model && !model.isOpen) || undefined}
      >
        <a
          href={`#${to.scheduleDailyOf({ date: day })}`}
          data-date={day}
          tabIndex={isTabStop ? 0 : -1}
          aria-label={dayWords(day, model, words)}
          {...(isToday && { 'aria-current': 'date' as const })}
        >
          <span className="sch-number">{Number(day.slice(8))}</span>
        </a>
        {words.map((text) => (
          <p key={text} className="sch-off" title={text}>
            {text}
          </p>
        ))}
        {shown.length > 0 && (
          <ul>
            {shown.map(({ entry, minute, until }) => {
              const provider = byId.get(entry.doctorId);
              return (
                <li key={entry.appointmentId} className="sch-line" style={hueStyle(provider?.hue ?? 0)}>
                  <span className="sch-mark" title={provider?.name}>
                    {provider?.initials}
                  </span>
                  <time>{until === undefined ? shortTime(minute) : `–${shortTime(until)}`}</time> {entry.patient}
                </li>
              );
            })}
          </ul>
        )}
        {lines.length > shown.length && <p className="sch-more">{texts.more(lines.length - shown.length)}</p>}
      </td>
    );
  },
  ({ model, ...a }, { model: other, ...b }) =>
    isSameDay(model, other) && (Object.keys(a) as (keyof typeof a)[]).every((name) => a[name] === b[name]),
);

/** Texts of a day's closures and leave, and of providers who are busy the whole day. */
export function offWords(model: DayModel | undefined, byId: ReadonlyMap<number, CalendarProvider>): string[] {
  const nameOf = (userId: number) => byId.get(userId)?.lastName ?? '';
  const off = (model?.off ?? []).map(({ userId, reason }) =>
    userId === null ? texts.closedFor(reason) : texts.leaveOf(nameOf(userId), reason),
  );
  const busy = (model?.busy ?? []).map((userId) => texts.busyAllDay(nameOf(userId)));
  return [...new Set([...off, ...busy])];
}

/** The accessible name of a day: what its cell shows. */
export function dayWords(day: string, model: DayModel | undefined, off: readonly string[]): string {
  if (!model) return formatLongDate(day);
  const rest = off.length > 0 ? off : model.isOpen ? [] : [texts.noOpenTime];
  return [formatLongDate(day), texts.appointments(model.lines.length), ...rest].join(', ');
}

/** '9a', '1:30p': the cell has no room for more. */
function shortTime(minute: number): string {
  const words = formatMinute(minute);
  return words.slice(0, -3).replace(':00', '') + (minute < 720 ? 'a' : 'p');
}

const lineHeight = 22;
/** Height of a cell's number and borders, px. */
const restOfCell = 40;
const aroundMonth = 190;

/** How many lines fit into a day when the month fills the window; computed, not measured. */
function useLinesThatFit(weeks: number): number {
  const [height, setHeight] = useState(window.innerHeight);
  useEffect(() => {
    const resized = () => setHeight(window.innerHeight);
    window.addEventListener('resize', resized);
    return () => window.removeEventListener('resize', resized);
  }, []);
  const cell = (height - aroundMonth) / weeks;
  return Math.max(3, Math.min(10, Math.floor((cell - restOfCell) / lineHeight)));
}
