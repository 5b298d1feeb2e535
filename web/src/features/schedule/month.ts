import type { BusyTime, DayOff, OpenTime, ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { dayBounds } from '@roomside/contract/time.ts';
import { addDays, wallPlace } from '../../time/time.ts';
import { entryDates } from './day-layout.ts';

/** Moves a date by months; a day that the month does not have becomes its last one. */
export const addMonths = (date: string, months: number): string =>
  Temporal.PlainDate.from(date).add({ months }).toString();

/** The weeks of a date's month, Sunday first: four to six rows of seven dates. */
export function monthWeeks(date: string): readonly (readonly string[])[] {
  const first = Temporal.PlainDate.from(date).with({ day: 1 });
  const sundayFirst = first.dayOfWeek % 7;
  const rows = Math.ceil((sundayFirst + first.daysInMonth) / 7);
  const start = first.subtract({ days: sundayFirst }).toString();
  return Array.from({ length: rows }, (_, row) => Array.from({ length: 7 }, (_, day) => addDays(start, row * 7 + day)));
}

/** First and last day that the month view of a date shows, inclusive: the range of one request. */
export function monthRange(date: string): { from: string; to: string } {
  const weeks = monthWeeks(date);
  return { from: weeks[0]?.[0] ?? date, to: weeks.at(-1)?.at(-1) ?? date };
}

/** One appointment in a day of the month. */
export interface Line {
  entry: ScheduleEntry;
  /** Company day, and minute of it: 0 when it continues from the day before. */
  date: string;
  minute: number;
  /** The end of what continues from the day before, in minutes; undefined for what starts on this day. */
  until: number | undefined;
}

/** The content of one day. */
export interface DayModel {
  lines: readonly Line[];
  /** Whether a shown provider can be booked. */
  isOpen: boolean;
  off: readonly DayOff[];
  /** The ids of shown providers whose external calendars have no free time on this day. */
  busy: readonly number[];
}

interface Schedule {
  data: readonly ScheduleEntry[];
  open: readonly OpenTime[];
  timeOff: readonly DayOff[];
  busy: readonly BusyTime[];
}

const linesOf = new WeakMap<ScheduleEntry, readonly Line[]>();

/** Groups entries by company day for the shown providers; empty days are left out. */
export function monthModel(
  { data, open, timeOff, busy }: Schedule,
  isShown: (doctorId: number) => boolean,
  dates: readonly string[],
  zone: string,
): ReadonlyMap<string, DayModel> {
  const lines = new Map<string, Line[]>();
  for (const entry of data) {
    if (!isShown(entry.doctorId)) continue;
    // The same entry keeps the same lines, so that an unchanged day is not redrawn.
    const known = linesOf.get(entry) ?? toLines(entry, zone);
    linesOf.set(entry, known);
    for (const line of known) {
      const day = lines.get(line.date);
      if (day) day.push(line);
      else lines.set(line.date, [line]);
    }
  }
  const long = busy.filter(({ doctorId }) => isShown(doctorId)).filter(isLong);
  const openDays = new Set(open.filter(({ doctorId }) => isShown(doctorId)).map(({ date }) => date));
  return new Map(
    dates.map((date) => [
      date,
      {
        lines: lines.get(date) ?? [],
        isOpen: openDays.has(date),
        off: offOn(timeOff, date, isShown),
        busy: busyOn(long, date, zone),
      },
    ]),
  );
}

function toLines(entry: ScheduleEntry, zone: string): Line[] {
  const { minute } = wallPlace(entry.startDate, zone);
  const end = wallPlace(entry.endDate, zone).minute;
  return entryDates(entry, zone).map((date, index) =>
    index === 0 ? { entry, date, minute, until: undefined } : { entry, date, minute: 0, until: end },
  );
}

/** No day is shorter than 23 hours. */
const isLong = ({ startDate, endDate }: BusyTime) => Date.parse(endDate) - Date.parse(startDate) >= 23 * 3_600_000;

/** The ids of providers with a busy time that lasts the whole day. Busy times are merged, so that one time is enough. */
function busyOn(times: readonly BusyTime[], date: string, zone: string): number[] {
  if (times.length === 0) return [];
  const day = dayBounds(date, zone);
  const [first, last] = [Date.parse(day.from), Date.parse(day.to)];
  const whole = times.filter(({ startDate, endDate }) => Date.parse(startDate) <= first && Date.parse(endDate) >= last);
  return whole.map(({ doctorId }) => doctorId);
}

/** The closures of a day and the leave of the shown providers. */
export function offOn(timeOff: readonly DayOff[], date: string, isShown: (userId: number) => boolean): DayOff[] {
  return timeOff.filter(
    ({ userId, firstDay, lastDay }) => firstDay <= date && date <= lastDay && (userId === null || isShown(userId)),
  );
}

/** True when two days look the same; cells compare with it. */
export function isSameDay(a: DayModel | undefined, b: DayModel | undefined): boolean {
  if (!a || !b) return a === b;
  return a.isOpen === b.isOpen && sameItems(a.lines, b.lines) && sameItems(a.off, b.off) && sameItems(a.busy, b.busy);
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((item, index) => item === b[index]);
