import type { DayOff, OpenTime, ScheduleEntry } from '@roomside/contract/schedule/calls.ts';
import { addDays, wallPlace } from '../../time/time.ts';
import { entryDates } from './day-layout.ts';

/** Moves a date by months; a day that the month lacks becomes its last one. */
export const addMonths = (date: string, months: number): string =>
  Temporal.PlainDate.from(date).add({ months }).toString();

/** The weeks, Sunday first, that hold a date's month: four to six rows of seven dates. */
export function monthWeeks(date: string): readonly (readonly string[])[] {
  const first = Temporal.PlainDate.from(date).with({ day: 1 });
  const sundayFirst = first.dayOfWeek % 7;
  const rows = Math.ceil((sundayFirst + first.daysInMonth) / 7);
  const start = first.subtract({ days: sundayFirst }).toString();
  return Array.from({ length: rows }, (_, row) => Array.from({ length: 7 }, (_, day) => addDays(start, row * 7 + day)));
}

/** The days that the month's sheet of a date shows, both inclusive: what one range call asks for. */
export function monthRange(date: string): { from: string; to: string } {
  const weeks = monthWeeks(date);
  return { from: weeks[0]?.[0] ?? date, to: weeks.at(-1)?.at(-1) ?? date };
}

/** One appointment of a day in the month. */
export interface Line {
  entry: ScheduleEntry;
  /** Company day, and minute of it: 0 where it goes on from the day before. */
  date: string;
  minute: number;
  /** The minute at which what goes on from the day before ends; undefined for what begins on this day. */
  until: number | undefined;
}

/** What a month's sheet shows of one day. */
export interface DayModel {
  lines: readonly Line[];
  /** Whether anybody shown can be booked. */
  isOpen: boolean;
  off: readonly DayOff[];
}

interface Schedule {
  data: readonly ScheduleEntry[];
  open: readonly OpenTime[];
  timeOff: readonly DayOff[];
}

const linesOf = new WeakMap<ScheduleEntry, readonly Line[]>();

/** Groups an answer by company day, for the providers that are shown; days without anything are not in it. */
export function monthModel(
  { data, open, timeOff }: Schedule,
  isShown: (doctorId: number) => boolean,
  dates: readonly string[],
  zone: string,
): ReadonlyMap<string, DayModel> {
  const lines = new Map<string, Line[]>();
  for (const entry of data) {
    if (!isShown(entry.doctorId)) continue;
    // The same entry keeps the same lines, so that a day in which nothing changed is not drawn again.
    const known = linesOf.get(entry) ?? toLines(entry, zone);
    linesOf.set(entry, known);
    for (const line of known) {
      const day = lines.get(line.date);
      if (day) day.push(line);
      else lines.set(line.date, [line]);
    }
  }
  const openDays = new Set(open.filter(({ doctorId }) => isShown(doctorId)).map(({ date }) => date));
  return new Map(
    dates.map((date) => [
      date,
      {
        lines: lines.get(date) ?? [],
        isOpen: openDays.has(date),
        off: offOn(timeOff, date, isShown),
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

/** The closures of a day and the leave of those who are shown. */
export function offOn(timeOff: readonly DayOff[], date: string, isShown: (userId: number) => boolean): DayOff[] {
  return timeOff.filter(
    ({ userId, firstDay, lastDay }) => firstDay <= date && date <= lastDay && (userId === null || isShown(userId)),
  );
}

/** True when two days look alike: cells compare by it. */
export function isSameDay(a: DayModel | undefined, b: DayModel | undefined): boolean {
  if (!a || !b) return a === b;
  return a.isOpen === b.isOpen && sameItems(a.lines, b.lines) && sameItems(a.off, b.off);
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((item, index) => item === b[index]);
