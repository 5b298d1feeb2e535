import { type CalendarDay, calendarDay, dateText, dayNumber } from './recurrence-days.ts';
import { ruleTexts as texts } from './texts.ts';

/**
 * The days on which a scheduling rule applies (ENTITY-12, ENTITY-14). Dates are 'YYYY-MM-DD', the end is inclusive.
 * S: on the start date. D: dailyType 1 = every `everyNday` days, 2 = Monday to Friday. W: every `everyNweek` weeks, which
 * begin on Sunday and count from the week of the start, on the days of `weekMask`. M: monthlyType1 1 = on the days of
 * `monthMask`, 2 = on the weekdays of `weekMask` in the weeks of `weekMonthMask`; monthlyType2 1 = every `everyNmonth`
 * months, 2 = in the months of `yearMask`. An interval of 0 means one date only, the first match on or after the start.
 * Masks exceed 32 bits: read them with `hasBit`, never with `&`.
 */
export interface Recurrence {
  ruleType: 'S' | 'D' | 'W' | 'M';
  activeStartDate: string;
  /** Null = no end; ignored for S. */
  activeEndDate: string | null;
  dailyType: 1 | 2;
  everyNday: number;
  everyNweek: number;
  everyNmonth: number;
  /** Bit 0 = Sunday. */
  weekMask: number;
  /** Bit day - 1; from `lastDayOfMonth` up also the last day. */
  monthMask: number;
  /** Bit 0 = January. */
  yearMask: number;
  /** Bits 1 to 4 = the first to the fourth such weekday of the month, `lastWeek` the last. */
  weekMonthMask: number;
  monthlyType1: 1 | 2;
  monthlyType2: 1 | 2;
}

/** Returns the defaults of a new rule (ENTITY-13): one-time on that day, empty masks, all intervals 1. */
export const blankRecurrence = (activeStartDate: string): Recurrence => ({
  ruleType: 'S',
  activeStartDate,
  activeEndDate: null,
  dailyType: 1,
  everyNday: 1,
  everyNweek: 1,
  everyNmonth: 1,
  weekMask: 0,
  monthMask: 0,
  yearMask: 0,
  weekMonthMask: 0,
  monthlyType1: 1,
  monthlyType2: 1,
});

/** The value in `monthMask` that means the last day: bit 32 (ENTITY-14). */
export const lastDayOfMonth = 4_294_967_296;
/** The value in `weekMonthMask` that means the last week: bit 5 (ENTITY-14). */
export const lastWeek = 32;

/** The latest date on the wire; the search for dates of a rule ends here. */
const lastDay = dayNumber('2199-12-31');
/** Every day of the month and every n-th weekday occurs at least once within two months, days. */
const twoMonths = 62;

/** Precomputed, because computing powers for many days is slow. */
const powers = Array.from({ length: 53 }, (_, bit) => 2 ** bit);

/** Whether the bit with this number (0 to 52) is set. */
export function hasBit(mask: number, bit: number): boolean {
  return (mask / (powers[bit] ?? Number.POSITIVE_INFINITY)) % 2 >= 1;
}

/** Returns the mask with this bit set or cleared. */
export function withBit(mask: number, bit: number, on: boolean): number {
  if (hasBit(mask, bit) === on) return mask;
  return on ? mask + 2 ** bit : mask - 2 ** bit;
}

/** Parses a rule for many days: returns the function that tests whether it applies on a day. */
export function ruleTest(rule: Recurrence): (date: CalendarDay) => boolean {
  const start = dayNumber(rule.activeStartDate);
  if (rule.ruleType === 'S') return ({ day }) => day === start;
  const end = rule.activeEndDate === null ? lastDay : dayNumber(rule.activeEndDate);
  const pattern = patternOf(rule, calendarDay(start));
  return (date) => date.day >= start && date.day <= end && pattern(date);
}

/** Whether the rule applies on the date. Ignores `disabled`, which is not part of the pattern. */
export function occursOn(rule: Recurrence, date: string): boolean {
  return ruleTest(rule)(calendarDay(dayNumber(date)));
}

/** Returns all dates of the rule from `from` to `to`, inclusive, ascending. */
export function datesOf(rule: Recurrence, from: string, to: string): string[] {
  return collect(rule, dayNumber(from), dayNumber(to), Number.POSITIVE_INFINITY);
}

/** Returns at most `count` dates on or after `from`; fewer when the rule ends, none when it has no dates (Feb 30). */
export function nextDates(rule: Recurrence, from: string, count: number): string[] {
  return collect(rule, dayNumber(from), lastDay, count);
}

function collect(rule: Recurrence, from: number, to: number, count: number): string[] {
  const applies = ruleTest(rule);
  const start = dayNumber(rule.activeStartDate);
  const last = Math.min(to, lastDayOf(rule, start));
  const dates: string[] = [];
  for (let day = Math.max(from, start); day <= last && dates.length < count; day += 1) {
    if (applies(calendarDay(day))) dates.push(dateText(day));
  }
  return dates;
}

function lastDayOf(rule: Recurrence, start: number): number {
  if (rule.ruleType === 'S') return start;
  const end = rule.activeEndDate === null ? lastDay : dayNumber(rule.activeEndDate);
  return isOnce(rule) ? Math.min(end, start + twoMonths) : end;
}

/** Whether the rule uses its interval and it is 0. */
function isOnce(rule: Recurrence): boolean {
  if (rule.ruleType === 'D') return rule.dailyType === 1 && rule.everyNday === 0;
  if (rule.ruleType === 'W') return rule.everyNweek === 0;
  return rule.ruleType === 'M' && rule.monthlyType2 === 1 && rule.everyNmonth === 0;
}

/** Returns the test of the pattern without its bounds, for days from the start on. */
function patternOf(rule: Recurrence, start: CalendarDay): (date: CalendarDay) => boolean {
  if (isOnce(rule)) return once(start.day, daysOf(rule));
  const days = daysOf(rule);
  if (rule.ruleType === 'D') {
    const every = rule.everyNday;
    return rule.dailyType === 2 ? days : ({ day }) => (day - start.day) % every === 0;
  }
  if (rule.ruleType === 'W') {
    const every = rule.everyNweek;
    return (date) => days(date) && (date.week - start.week) % every === 0;
  }
  if (rule.monthlyType2 === 2) return (date) => hasBit(rule.yearMask, date.month) && days(date);
  const every = rule.everyNmonth;
  return (date) => (date.monthCount - start.monthCount) % every === 0 && days(date);
}

/** Returns the test for the days within any week or month, without the interval. */
function daysOf({ ruleType, dailyType, weekMask, monthMask, weekMonthMask, monthlyType1 }: Recurrence) {
  if (ruleType === 'D') return ({ weekday }: CalendarDay) => dailyType === 1 || (weekday > 0 && weekday < 6);
  if (ruleType === 'W') return ({ weekday }: CalendarDay) => hasBit(weekMask, weekday);
  if (monthlyType1 === 1)
    return ({ dayOfMonth, daysInMonth }: CalendarDay) =>
      (dayOfMonth === daysInMonth && monthMask >= lastDayOfMonth) || hasBit(monthMask, dayOfMonth - 1);
  return ({ weekday, dayOfMonth, daysInMonth }: CalendarDay) => {
    if (!hasBit(weekMask, weekday)) return false;
    const week = Math.ceil(dayOfMonth / 7);
    return (week < 5 && hasBit(weekMonthMask, week)) || (dayOfMonth > daysInMonth - 7 && hasBit(weekMonthMask, 5));
  };
}

function once(start: number, days: (date: CalendarDay) => boolean): (date: CalendarDay) => boolean {
  for (let day = start; day <= start + twoMonths; day += 1) {
    if (days(calendarDay(day))) return (date) => date.day === day;
  }
  return () => false;
}

/** Returns the pattern in words for the list and the editor's preview, without times and providers. */
export function ruleWords(rule: Recurrence): string {
  const from = dateWords(rule.activeStartDate);
  if (rule.ruleType === 'S') return texts.onceOn(from);
  const until = rule.activeEndDate === null ? '' : texts.until(dateWords(rule.activeEndDate));
  return patternWords(rule, from) + until;
}

function patternWords(rule: Recurrence, from: string): string {
  if (rule.ruleType === 'D') {
    if (rule.dailyType === 2) return texts.everyWeekday;
    return rule.everyNday === 0 ? texts.onceOn(from) : texts.everyDays(rule.everyNday);
  }
  const weekdays = chosen(rule.weekMask, texts.weekdays);
  if (rule.ruleType === 'W') {
    if (weekdays.length === 0) return texts.never;
    if (rule.everyNweek === 0) return texts.onceOnFirst(list(weekdays, texts.or), from);
    return texts.everyWeeks(rule.everyNweek, list(weekdays, texts.and));
  }
  const months = chosen(rule.yearMask, texts.months);
  if (rule.monthlyType2 === 2 && months.length === 0) return texts.never;
  const days = (word: string) => (rule.monthlyType1 === 1 ? monthDays(rule, word) : weekdaysOfMonth(rule, word));
  if (days(texts.and) === '') return texts.never;
  if (rule.monthlyType2 === 2) {
    return texts.daysOf(days(texts.and), months.length === 12 ? texts.everyMonth : list(months, texts.and));
  }
  if (rule.everyNmonth === 0) return texts.onceOnNext(days(texts.or), from);
  return texts.everyMonths(rule.everyNmonth, days(texts.and));
}

function monthDays({ monthMask }: Recurrence, word: string): string {
  const days = chosen(monthMask, texts.monthDays);
  return list(monthMask >= lastDayOfMonth ? [...days, days.length > 0 ? texts.theLastDay : texts.lastDay] : days, word);
}

function weekdaysOfMonth({ weekMask, weekMonthMask }: Recurrence, word: string): string {
  // Bit 0 of weekMonthMask is unused.
  const weeks = chosen(Math.floor(weekMonthMask / 2), texts.weeks);
  const weekdays = chosen(weekMask, texts.weekdays);
  return weeks.length > 0 && weekdays.length > 0 ? `${list(weeks, word)} ${list(weekdays, word)}` : '';
}

function chosen(mask: number, names: readonly string[]): string[] {
  return names.filter((_, bit) => hasBit(mask, bit));
}

/** 'a', 'a and b', 'a, b and c' */
function list(words: readonly string[], word: string): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${word} ${words.at(-1)}`;
}

/** '03/03/2026' */
function dateWords(date: string): string {
  return texts.date(date.slice(5, 7), date.slice(8), date.slice(0, 4));
}
