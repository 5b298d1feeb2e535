import type { BookableStart } from '@roomside/contract/booking/calls.ts';
import { addDays, dateOf, timeOf } from './time.ts';

/** 'YYYY-MM' of a date. */
export const monthOf = (date: string): string => date.slice(0, 7);

export function shiftMonth(month: string, by: number): string {
  return Temporal.PlainYearMonth.from(month).add({ months: by }).toString();
}

/** The weeks of a month, starting on Sunday; null fills the ends. */
export function weeksOf(month: string): (string | null)[][] {
  const first = Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 });
  const pad = first.dayOfWeek % 7;
  const days: (string | null)[] = Array.from({ length: pad }, () => null);
  for (let day = 0; day < first.daysInMonth; day += 1) days.push(first.add({ days: day }).toString());
  while (days.length % 7 !== 0) days.push(null);
  return Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
}

/**
 * The ranges of company days that cover a month of the reader's zone: a day more at both ends, split in two because one
 * request covers 31 days at most.
 */
export function rangesOf(month: string, bounds: { from: string; to: string }): { from: string; to: string }[] {
  const first = `${month}-01`;
  const length = Temporal.PlainDate.from(first).daysInMonth;
  const halves = [
    { from: addDays(first, -1), to: addDays(first, 14) },
    { from: addDays(first, 15), to: addDays(first, length) },
  ];
  return halves
    .map(({ from, to }) => ({ from: from > bounds.from ? from : bounds.from, to: to < bounds.to ? to : bounds.to }))
    .filter(({ from, to }) => from <= to);
}

/** Groups starts by day of the reader's zone, in order. */
export function byDay<Start extends Pick<BookableStart, 'startDate'>>(
  starts: readonly Start[],
  zone: string,
): Map<string, Start[]> {
  const days = new Map<string, Start[]>();
  for (const start of starts) {
    const date = dateOf(start.startDate, zone);
    const day = days.get(date);
    if (day) day.push(start);
    else days.set(date, [start]);
  }
  return days;
}

/** CONST-11: noon belongs to the afternoon. */
export const isMorning = (startDate: string, zone: string): boolean => timeOf(startDate, zone) < '12:00';
