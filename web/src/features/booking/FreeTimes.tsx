import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { byDay, isMorning, monthOf, shiftMonth, weeksOf } from '../../time/months.ts';
import {
  dateOf,
  formatDay,
  formatLongDate,
  formatMonth,
  formatTime,
  ownZone,
  sameClock,
  zoneLabel,
} from '../../time/time.ts';
import { Button } from '../../ui/light/Button.tsx';
import { Spinner } from '../../ui/light/Spinner.tsx';
import { useLostFocus } from '../../ui/use-lost-focus.ts';
import { texts } from './texts.ts';

const words = texts.when;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

interface Props<Start extends { startDate: string }> {
  /** The free starts of the shown month, and whether all are loaded. */
  starts: readonly Start[];
  complete: boolean;
  month: string;
  onMonth: (month: string) => void;
  /** First and last day that can be booked, inclusive. */
  bounds: { from: string; to: string };
  clinicZone: string;
  /** A start whose day is shown first. */
  near?: string | undefined;
  /** The start that is being held. */
  busy: string | null;
  onPick: (start: Start) => void;
  /** Shown when no month has free starts. */
  nothing: React.ReactNode;
}

/** A month of days with free starts, and the starts of the chosen day. */
export function FreeTimes<Start extends { startDate: string }>(props: Props<Start>) {
  const { starts, complete, month, onMonth, bounds, near, clinicZone } = props;
  const zone = ownZone();
  const days = byDay(starts, zone);
  const [picked, setPicked] = useState(near && dateOf(near, zone));
  // Shows the first month with free starts until the user changes the month: from the given month on, then those before it.
  const [searching, setSearching] = useState(true);
  /** Every month was searched, and none has free starts. */
  const [foundNothing, setFoundNothing] = useState(false);
  const free = [...days.keys()].filter((date) => monthOf(date) === month).toSorted();
  // Times that became free meanwhile are found by turning the months.
  if (foundNothing && free.length > 0) setFoundNothing(false);
  const date = picked !== undefined && free.includes(picked) ? picked : free[0];
  const [first, last] = [monthOf(bounds.from), monthOf(bounds.to)];
  /** The months without free starts since one with some was shown. */
  const searched = useRef(new Set<string>());

  const lookOn = useEffectEvent(() => {
    if (!searching || !complete) return;
    if (free.length > 0) return searched.current.clear();
    searched.current.add(month);
    const next = month < last ? shiftMonth(month, 1) : first;
    if (!searched.current.has(next)) return onMonth(next);
    setFoundNothing(true);
    setSearching(false);
  });
  // The last free start of the shown month may disappear.
  const hasFree = free.length > 0;
  useEffect(() => lookOn(), [complete, month, hasFree]);

  function turn(by: number) {
    setSearching(false);
    onMonth(shiftMonth(month, by));
  }

  const isNothing = complete && free.length === 0 && foundNothing;
  const isLooking = searching && (!complete || free.length === 0);
  const heading = useLostFocus<HTMLHeadingElement>(isLooking);
  if (isLooking) return <Spinner label={words.loading} />;
  const times = date === undefined ? [] : (days.get(date) ?? []);
  // The clocks may differ on some days only: not all zones change them, or on the same date.
  const both = times.some(({ startDate }) => !sameClock(startDate, zone, clinicZone));
  return (
    <div className="bk-columns">
      <div className="bk-beside">
        <div className="bk-month">
          <button
            type="button"
            className="bk-turn"
            aria-label={words.previous}
            disabled={month <= first}
            onClick={() => turn(-1)}
          >
            ‹
          </button>
          <h2 ref={heading} tabIndex={-1} aria-live="polite">
            {formatMonth(`${month}-01`)}
          </h2>
          <button
            type="button"
            className="bk-turn"
            aria-label={words.next}
            disabled={month >= last}
            onClick={() => turn(1)}
          >
            ›
          </button>
        </div>
        <fieldset className="bk-days">
          <legend className="bk-hidden">{formatMonth(`${month}-01`)}</legend>
          <div className="bk-week bk-weekdays" aria-hidden="true">
            {weekdays.map((name) => (
              <span key={name}>{name}</span>
            ))}
          </div>
          {weeksOf(month).map((week) => (
            <div className="bk-week" key={week.find((day) => day !== null)}>
              {week.map((day, index) => {
                const count = day === null ? 0 : (days.get(day)?.length ?? 0);
                if (day === null) return <span key={`${index}-${week.join()}`} />;
                const number = Number(day.slice(8));
                if (count === 0) {
                  return (
                    <span key={day} className="bk-day bk-day-off" aria-hidden="true">
                      {number}
                    </span>
                  );
                }
                return (
                  <label key={day} className="bk-day">
                    <input
                      type="radio"
                      name="day"
                      checked={day === date}
                      onChange={() => setPicked(day)}
                      aria-label={words.day(formatLongDate(day), count)}
                    />
                    <span aria-hidden="true">{number}</span>
                  </label>
                );
              })}
            </div>
          ))}
        </fieldset>
      </div>
      <div>
        {!complete && <Spinner label={words.loading} />}
        {complete && free.length === 0 && !isNothing && <p className="rs-text">{words.noneInMonth}</p>}
        {isNothing && props.nothing}
        {date !== undefined && (
          <section aria-label={words.times(formatLongDate(date))} className="bk-times">
            <h2>{formatDay(date)}</h2>
            <Times {...props} starts={times} zone={zone} both={both} />
            <p className="bk-zone">
              {both ? words.zoneBoth(zoneLabel(zone), zoneLabel(clinicZone)) : words.zone(zoneLabel(zone))}
            </p>
          </section>
        )}
      </div>
    </div>
  );
}

function Times<Start extends { startDate: string }>({
  starts,
  zone,
  both,
  clinicZone,
  busy,
  onPick,
}: Pick<Props<Start>, 'starts' | 'clinicZone' | 'busy' | 'onPick'> & { zone: string; both: boolean }) {
  const parts = [
    { title: words.morning, starts: starts.filter(({ startDate }) => isMorning(startDate, zone)) },
    { title: words.afternoon, starts: starts.filter(({ startDate }) => !isMorning(startDate, zone)) },
  ];
  return parts
    .filter((part) => part.starts.length > 0)
    .map((part) => (
      <div key={part.title}>
        <h3>{part.title}</h3>
        <div className={both ? 'bk-slots bk-slots-both' : 'bk-slots'}>
          {part.starts.map((start) => (
            <Button
              key={start.startDate}
              look="secondary"
              busy={busy === start.startDate}
              onClick={() => busy === null && onPick(start)}
            >
              <span className="bk-slot">
                {formatTime(start.startDate, zone)}
                {both && <small>{words.atClinic(formatTime(start.startDate, clinicZone))}</small>}
              </span>
            </Button>
          ))}
        </div>
      </div>
    ));
}
