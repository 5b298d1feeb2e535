import { type Recurrence, ruleTest } from '../scheduling-rules/recurrence.ts';
import { calendarDay, dayNumber } from '../scheduling-rules/recurrence-days.ts';
import { minuteOf } from '../time.ts';

/** A part of a day in which a provider can be booked: minutes of wall time, 0..1440, end after start. */
export interface Window {
  start: number;
  end: number;
}

/** A scheduling rule with its windows and providers; times are wall time 'HH:mm', end after start (RULES-4). */
export interface RuleInForce extends Recurrence {
  disabled: boolean;
  times: readonly { startTime: string; endTime: string }[];
  providerIds: readonly number[];
}

/** A closure of the company (`userId` null) or a provider's leave; both days inclusive, 'YYYY-MM-DD'. */
export interface TimeOff {
  userId: number | null;
  firstDay: string;
  lastDay: string;
}

/** The hours of the company, full hours of wall time (ENTITY-15). */
export interface CompanyHours {
  startHour: number;
  endHour: number;
}

export interface WindowsQuery {
  /** 'YYYY-MM-DD' */
  date: string;
  doctorId: number;
  /** Whether the provider is or was on any rule. */
  usesRules: boolean;
  rules: readonly RuleInForce[];
  timeOff: readonly TimeOff[];
  company: CompanyHours;
}

/**
 * Returns the windows in which a provider can be booked on a day. The windows of enabled rules are merged. A provider who was never on
 * a rule has the company's hours from Monday to Friday; one who was, but has no rule now, has none, so that a disabled or expired
 * rule never opens a provider for booking. Closures and leave remove the whole day.
 */
export function windowsOn({ date, doctorId, usesRules, rules, timeOff, company }: WindowsQuery): Window[] {
  if (timeOff.some((off) => isOff(off, doctorId) && off.firstDay <= date && date <= off.lastDay)) return [];
  const day = calendarDay(dayNumber(date));
  if (!usesRules) return isWorkday(day.weekday) ? [companyWindow(company)] : [];
  const inForce = rules.filter((rule) => !rule.disabled && rule.providerIds.includes(doctorId) && ruleTest(rule)(day));
  return joined(inForce.flatMap(ruleWindows));
}

/** Whether the time off applies to this provider: their own leave or a closure. */
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

/** Returns the times of a rule in minutes. */
export function ruleWindows({ times }: RuleInForce): Window[] {
  return times.map(({ startTime, endTime }) => ({ start: minuteOf(startTime), end: minuteOf(endTime) }));
}

/** Returns the windows in ascending order. Overlapping and adjacent ones are merged; empty ones are dropped. */
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
