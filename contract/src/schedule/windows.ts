import { type Recurrence, ruleTest } from '../scheduling-rules/recurrence.ts';
import { calendarDay, dayNumber } from '../scheduling-rules/recurrence-days.ts';

/** A stretch of a day in which a provider can be booked: minutes of wall time, 0..1440, end after start. */
export interface Window {
  start: number;
  end: number;
}

/** A scheduling rule with what it gives and to whom; times are wall time 'HH:mm', end after start (RULES-4). */
export interface RuleInForce extends Recurrence {
  disabled: boolean;
  times: readonly { startTime: string; endTime: string }[];
  providerIds: readonly number[];
}

/** A closure of the whole clinic (`userId` null) or a provider's leave; both days inclusive, 'YYYY-MM-DD'. */
export interface TimeOff {
  userId: number | null;
  firstDay: string;
  lastDay: string;
}

/** The hours of the clinic, whole hours of wall time (ENTITY-15). */
export interface CompanyHours {
  startHour: number;
  endHour: number;
}

export interface WindowsQuery {
  /** 'YYYY-MM-DD' */
  date: string;
  doctorId: number;
  /** Whether the provider stands, or ever stood, on any rule. */
  usesRules: boolean;
  rules: readonly RuleInForce[];
  timeOff: readonly TimeOff[];
  company: CompanyHours;
}

/**
 * When a provider can be booked on a day. The enabled rules add up; a provider who never was on a rule has the clinic's
 * hours from Monday to Friday. One who was but has none in force has nothing: disabling or outliving a rule opens nobody
 * to the public. Closures and leave take the whole day.
 */
export function windowsOn({ date, doctorId, usesRules, rules, timeOff, company }: WindowsQuery): Window[] {
  if (timeOff.some((off) => isOff(off, doctorId) && off.firstDay <= date && date <= off.lastDay)) return [];
  const day = calendarDay(dayNumber(date));
  if (!usesRules) return isWorkday(day.weekday) ? [companyWindow(company)] : [];
  const inForce = rules.filter((rule) => !rule.disabled && rule.providerIds.includes(doctorId) && ruleTest(rule)(day));
  return joined(inForce.flatMap(ruleWindows));
}

/** Whether the time off is this provider's: his own, or everybody's. */
export function isOff({ userId }: TimeOff, doctorId: number): boolean {
  return userId === null || userId === doctorId;
}

/** Monday to Friday. */
export function isWorkday(weekday: number): boolean {
  return weekday > 0 && weekday < 6;
}

export function companyWindow({ startHour, endHour }: CompanyHours): Window {
  return { start: startHour * 60, end: endHour * 60 };
}

/** The times of a rule as minutes. */
export function ruleWindows({ times }: RuleInForce): Window[] {
  return times.map(({ startTime, endTime }) => ({ start: minuteOf(startTime), end: minuteOf(endTime) }));
}

/** Windows in order, those that overlap or touch made one; empty ones fall away. */
export function joined(windows: readonly Window[]): Window[] {
  const result: Window[] = [];
  let last: Window | undefined;
  for (const { start, end } of windows.toSorted((a, b) => a.start - b.start)) {
    if (end <= start) continue;
    if (last && start <= last.end) {
      last.end = Math.max(last.end, end);
    } else {
      last = { start, end };
      result.push(last);
    }
  }
  return result;
}

/** 'HH:mm' -> minutes */
function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}
