import type { BusyTime, OpenTime, ScheduleEntry, ScheduleSettings } from '@roomside/contract/schedule/calls.ts';
import { dayBounds } from '@roomside/contract/time.ts';
import { addDays, clocksChange, formatMinute, formatZonedTime, wallPlace } from '../../time/time.ts';

/** An appointment on the day: minutes in clinic time, and its lane among those that overlap. */
export interface Placed {
  entry: ScheduleEntry;
  start: number;
  /** End of its box: start plus elapsed minutes, also across a clock change; at most 1440. */
  end: number;
  lane: number;
  lanes: number;
  /** Its times as text, with the zone's name on days with a clock change. */
  from: string;
  to: string;
  /** It started the day before; the rest of it is at the top. */
  isContinued: boolean;
}

const lastMinute = 1440;

/** The company days of an appointment: two when it continues past midnight. */
export function entryDates(
  { startDate, endDate }: Pick<ScheduleEntry, 'startDate' | 'endDate'>,
  zone: string,
): string[] {
  const first = wallPlace(startDate, zone).date;
  // An end at midnight is not on the next day.
  const last = wallPlace(new Date(Date.parse(endDate) - 1).toISOString(), zone).date;
  const dates = [first];
  for (let date = first; date < last; dates.push(date)) date = addDays(date, 1);
  return dates;
}

/**
 * Places one provider's appointments of a day; those that overlap are side by side. `minMinutes`: minutes of the smallest box.
 */
export function placeDay(entries: readonly ScheduleEntry[], date: string, zone: string, minMinutes: number): Placed[] {
  const dayStart = dayBounds(date, zone).from;
  const time = clocksChange(date, zone) ? formatZonedTime : (at: string) => formatMinute(wallPlace(at, zone).minute);
  const boxes = entries
    .map((entry): Placed => {
      const isContinued = Date.parse(entry.startDate) < Date.parse(dayStart);
      const start = isContinued ? 0 : wallPlace(entry.startDate, zone).minute;
      const length = (Date.parse(entry.endDate) - Date.parse(isContinued ? dayStart : entry.startDate)) / 60_000;
      return {
        entry,
        isContinued,
        start,
        end: Math.min(lastMinute, start + length),
        lane: 0,
        lanes: 1,
        from: time(entry.startDate, zone),
        to: time(entry.endDate, zone),
      };
    })
    .sort((a, b) => a.start - b.start || b.end - a.end || a.entry.appointmentId - b.entry.appointmentId);
  let group: Placed[] = [];
  let until = -1;
  /** Where each lane of the group ends. */
  let ends: number[] = [];
  const finish = () => {
    for (const box of group) box.lanes = ends.length;
  };
  for (const box of boxes) {
    const shownEnd = Math.max(box.end, box.start + minMinutes);
    if (box.start >= until) {
      finish();
      group = [];
      ends = [];
    }
    const free = ends.findIndex((end) => end <= box.start);
    box.lane = free < 0 ? ends.length : free;
    ends[box.lane] = shownEnd;
    until = Math.max(until, shownEnd);
    group.push(box);
  }
  finish();
  return boxes;
}

/** A busy time of an external calendar on the day: minutes in clinic time, and its times as text. */
export interface PlacedBusy {
  start: number;
  end: number;
  from: string;
  to: string;
}

/** Returns the parts of busy times on a day. */
export function placeBusy(times: readonly BusyTime[], date: string, zone: string): PlacedBusy[] {
  const day = dayBounds(date, zone);
  const [first, last] = [Date.parse(day.from), Date.parse(day.to)];
  return times
    .map(({ startDate, endDate }) => ({ start: Date.parse(startDate), end: Date.parse(endDate) }))
    .filter(({ start, end }) => start < last && end > first)
    .map(({ start, end }) => {
      const minuteOf = (at: number) => wallPlace(new Date(at).toISOString(), zone).minute;
      const from = start <= first ? 0 : minuteOf(start);
      const to = end >= last ? lastMinute : minuteOf(end);
      return { start: from, end: to, from: formatMinute(from), to: formatMinute(to % lastMinute) };
    });
}

/** The shown part of the day in minutes: the company's hours, extended by whole hours for what is outside. */
export function dayHours(
  { startHour, endHour }: Pick<ScheduleSettings, 'startHour' | 'endHour'>,
  stretches: readonly Pick<OpenTime, 'start' | 'end'>[],
): { start: number; end: number } {
  const first = Math.min(startHour * 60, ...stretches.map(({ start }) => start));
  const last = Math.max(endHour * 60, ...stretches.map(({ end }) => end));
  return { start: Math.floor(first / 60) * 60, end: Math.min(lastMinute, Math.ceil(last / 60) * 60) };
}

/** CONST-12: from this many columns on they are narrow. */
const condensedFrom = 5;
export const isCondensed = (columns: number): boolean => columns >= condensedFrom;

/** Height of a slot's row in px: large enough for a touch or an unsteady hand. */
export function rowHeight(slot: number, condensed: boolean): number {
  const leastOfHour = condensed ? 56 : 72;
  return Math.max(condensed ? 24 : 26, Math.round((slot / 60) * leastOfHour));
}

/** The shown hours of a day and their size. */
export interface DayScale {
  start: number;
  end: number;
  slot: number;
  /** px */
  row: number;
  columns: number;
}

export const toPx = (scale: DayScale, minutes: number): number => (minutes / scale.slot) * scale.row;

/** The slot at a height within the grid, px. */
export function slotAt(scale: DayScale, y: number): number {
  const minute = scale.start + Math.floor(y / scale.row) * scale.slot;
  return Math.max(scale.start, Math.min(minute, scale.end - 1));
}

/**
 * The new start of an appointment at `from` that moves by `rows` rows: on the grid of slots, within the shown hours;
 * without a vertical move it keeps its minute.
 */
export function landing(scale: DayScale, from: number, length: number, rows: number): number {
  if (rows === 0) return from;
  const at = (from - scale.start) / scale.slot;
  const minute = scale.start + ((rows > 0 ? Math.floor(at) : Math.ceil(at)) + rows) * scale.slot;
  const latest = scale.start + Math.floor((scale.end - scale.start - length) / scale.slot) * scale.slot;
  return Math.max(scale.start, Math.min(minute, Math.max(scale.start, latest)));
}
