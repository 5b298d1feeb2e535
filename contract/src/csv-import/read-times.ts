import { durationBounds } from '../limits.ts';
import { instantToWall, wallToInstant } from '../time.ts';
import { cellText, type ReadValue, readDay, refuse, two } from './read-values.ts';
import type { ValueRules } from './reading.ts';

/** A moment as it is written: a day, a time of day 'HH:mm:ss.SSS', and an offset from UTC if there is one. */
export interface Wall {
  readonly day: string;
  readonly time: string;
  /** '+hh:mm' or 'Z'; null = the clinic's zone. */
  readonly offset: string | null;
}

/** Without a zone, any offset is taken: for guessing what a column is. */
type Order = Pick<ValueRules, 'dateOrder'> & { readonly timeZone?: string };

const timeText = /^(\d{1,2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,3})\d*)?)?)?\s*(?:([ap])\.?\s?m\.?)?$/i;
const shortTime = /^([01]\d|2[0-3])([0-5]\d)$/;
const timeWithOffset = /^(.*\d:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?)\s*(Z|[+-]\d{2}:?\d{2})$/i;
/** An instant as programs write it. Its offset may be of any zone. */
const instantText = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)? ?[+-](?:0\d|1[0-4]):?(?:00|15|30|45)$/i;
const universal = /^(?:Z|\+00:?00)$/i;
/** An offset directly behind a time in another text may be the end of a range, as in 9:00-09:30. */
const apart = /T\d{2}:\d{2}[+-][\d:]+$|\s[+-][\d:]+$/i;
/** 9:00-9:30, 9 - 10 am, 09:00 to 09:30. */
const timeRange =
  /\d\s*(?:[ap]\.?\s?m\.?)?\s*(?:[-\u2010-\u2015]|to|until)\s*\d{1,2}(?::\d{2}){0,2}\s*(?:[ap]\.?\s?m\.?)?$/i;
const dayAndTime = /^(.*?)[T\s,]+(\d{1,2}(?::\d{2}){1,2}(?:[.,]\d+)?\s*(?:[ap]\.?\s?m\.?)?|\d{1,2}\s*[ap]\.?\s?m\.?)$/i;
const weekdayInFront = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+/i;

/** A time of day as 'HH:mm:ss.SSS': 14:30, 2:30 PM, 2 pm, 1430. */
export function readTimeOfDay(cell: string): ReadValue<string> {
  const text = cellText(cell);
  if (text === '') return refuse('required');
  const short = shortTime.exec(text);
  if (short) return { value: `${short[1]}:${short[2]}:00.000` };
  const found = timeText.exec(text);
  if (!found) return refuse('time');
  const [, hours = '', minutes, seconds = '0', fraction = '', half] = found;
  // '10' alone may be anything.
  if (minutes === undefined && half === undefined) return refuse('time');
  const hour = half === undefined ? Number(hours) : hourOfHalf(Number(hours), half);
  if (hour === undefined || hour > 23 || Number(minutes ?? 0) > 59 || Number(seconds) > 59) return refuse('time');
  return { value: `${two(hour)}:${minutes ?? '00'}:${two(Number(seconds))}.${fraction.padEnd(3, '0')}` };
}

/** The hour of a clock of twelve hours; undefined = there is none. */
function hourOfHalf(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** Years of two digits are of this century: there were no visits by video in the last one. */
const yearOf = (year: string) => (year.length === 4 ? Number(year) : 2000 + Number(year));

/** A day in any spelling of a birth date, with a day of the week in front or not. */
export const readCalendarDay = (cell: string, { dateOrder }: Order): ReadValue<string> => {
  const text = cellText(cell);
  return text === '' ? refuse('required') : readDay(text.replace(weekdayInFront, ''), dateOrder, yearOf);
};

/**
 * A day with a time of day in one cell. An offset behind it must be one that the zone has then, unless the text is an instant as programs write it.
 * A range of times is refused: its end is not read as an offset.
 */
export function readMoment(cell: string, order: Order): ReadValue<Wall> {
  const text = cellText(cell);
  if (text === '') return refuse('required');
  const [, bare = text, offset = null] = timeWithOffset.exec(text) ?? [];
  const parts = dayAndTime.exec(bare.trim());
  const day = readCalendarDay(parts?.[1] ?? text, order);
  if ('problem' in day) return /:|[ap]\.?\s?m/i.test(text) && timeRange.test(text) ? refuse('time') : day;
  if (!parts) return refuse('time-missing');
  const time = readTimeOfDay(parts[2] ?? '');
  if ('problem' in time) return time;
  const wall = { day: day.value, time: time.value };
  if (offset === null) return { value: { ...wall, offset } };
  const moment = { ...wall, offset: offset.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2') };
  const isInstant = universal.test(offset) || instantText.test(text);
  return isInstant || (apart.test(text) && isOfZone(moment, order.timeZone)) ? { value: moment } : refuse('time');
}

/** Whether the zone has the offset of a moment then. */
function isOfZone({ day, time, offset }: Wall, zone: string | undefined): boolean {
  if (zone === undefined) return true;
  const instant = new Date(`${day}T${time}${offset}`);
  if (Number.isNaN(instant.getTime())) return false;
  const shown = instantToWall(instant.toISOString(), zone);
  return shown.day === day && shown.time === time.slice(0, 5);
}

/** The day of a cell that may have a time behind it, as databases write days. */
export function readDayOfMoment(cell: string, order: Order): ReadValue<string> {
  const moment = readMoment(cell, order);
  return 'value' in moment ? { value: moment.value.day } : readCalendarDay(cell, order);
}

/** The time of a cell that may have a day in front, as databases write times. With an offset it is refused: it would be of another zone. */
export function readTimeOfMoment(cell: string, order: Order): ReadValue<string> {
  const moment = readMoment(cell, order);
  if ('problem' in moment) return readTimeOfDay(cell);
  return moment.value.offset === null ? { value: moment.value.time } : refuse('time');
}

/**
 * The instant of a moment in a zone. A time that the clocks go over is refused. A time that they show twice is the first of the two, unless an
 * offset says which.
 */
export function instantOf({ day, time, offset }: Wall, zone: string): ReadValue<string> {
  if (offset !== null) {
    const at = new Date(`${day}T${time}${offset}`);
    return Number.isNaN(at.getTime()) ? refuse('time') : { value: at.toISOString() };
  }
  const instant = wallToInstant(day, time, zone);
  const shown = instantToWall(instant, zone);
  return shown.day === day && shown.time === time.slice(0, 5) ? { value: instant } : refuse('time-gap');
}

const minutesText = /^(\d+)(?:\.0+)?\s*(?:m|min|mins|minutes?)?\.?$/i;
const clockText = /^(\d{1,2}):(\d{2})(?::00)?$/;
const hoursText = /^(\d{1,2}(?:\.\d+)?)\s*(?:h|hrs?|hours?)\.?\s*(?:(\d{1,2})\s*(?:m|min|mins|minutes?)\.?)?$/i;

/** A length in minutes: 30, 30 min, 0:30, 1 h 30 min. null = the cell is empty. */
export function readLength(cell: string): ReadValue<number | null> {
  const text = cellText(cell);
  if (text === '') return { value: null };
  return lengthOf(minutesOf(text));
}

/** A length that the product allows. */
export const lengthOf = (minutes: number | undefined): ReadValue<number> =>
  minutes !== undefined && Number.isInteger(minutes) && minutes >= durationBounds.min && minutes <= durationBounds.max
    ? { value: minutes }
    : refuse('length');

function minutesOf(text: string): number | undefined {
  const minutes = minutesText.exec(text);
  if (minutes) return Number(minutes[1]);
  const clock = clockText.exec(text) ?? hoursText.exec(text);
  return clock ? Math.round(Number(clock[1]) * 60) + Number(clock[2] ?? 0) : undefined;
}

/** Whether a text may be a day, with a time or not; for guessing what a column is. */
export const looksLikeMoment = (cell: string): boolean =>
  cell.trim() !== '' && (['mdy', 'dmy'] as const).some((dateOrder) => 'value' in readDayOfMoment(cell, { dateOrder }));
