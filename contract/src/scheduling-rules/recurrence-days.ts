/** Calendar dates as integers: a rule is tested on thousands of days, which must not parse dates. */

const dayMs = 86_400_000;

/** The parts of a date. */
export interface CalendarDay {
  /** Days since 1970-01-01. */
  day: number;
  /** 0 = Sunday. */
  weekday: number;
  /** Weeks since the week of 1970-01-01; weeks begin on Sunday. */
  week: number;
  /** 0 = January. */
  month: number;
  /** Months since January of the year 0. */
  monthCount: number;
  /** 1..31 */
  dayOfMonth: number;
  daysInMonth: number;
}

/** 'YYYY-MM-DD' -> days since 1970-01-01; throws RangeError for anything else. */
export function dayNumber(date: string): number {
  const day = date.length === 10 ? Date.parse(date) / dayMs : Number.NaN;
  if (!Number.isInteger(day)) throw new RangeError(`Not a date: ${date}`);
  return day;
}

/** Days since 1970-01-01 -> 'YYYY-MM-DD'. */
export function dateText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Returns the parts of a day in the proleptic Gregorian calendar, computed in 400-year cycles that begin in March. */
export function calendarDay(day: number): CalendarDay {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 2 : fromMarch - 10;
  const year = era * 400 + yearOfEra + (month < 2 ? 1 : 0);
  const week = Math.floor((day + 4) / 7);
  return {
    day,
    weekday: day + 4 - week * 7,
    week,
    month,
    monthCount: year * 12 + month,
    dayOfMonth: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
    daysInMonth: daysIn(year, month),
  };
}

function daysIn(year: number, month: number): number {
  if (month !== 1) return month === 3 || month === 5 || month === 8 || month === 10 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
