import { ruleTest } from '../scheduling-rules/recurrence.ts';
import { calendarDay, dateText, dayNumber } from '../scheduling-rules/recurrence-days.ts';
import { dayClock, offsetAt } from '../time.ts';
import {
  type CompanyHours,
  companyWindow,
  isOff,
  isWorkday,
  joined,
  type RuleInForce,
  ruleWindows,
  type TimeOff,
  type Window,
} from './windows.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** An appointment or a hold: a half-open interval, epoch ms. */
export interface Busy {
  start: number;
  end: number;
}

export interface DaySlotsQuery {
  /** 'YYYY-MM-DD', a day in the company's zone. */
  date: string;
  /** IANA name. */
  timeZone: string;
  /** The result of `windowsOn`. */
  windows: readonly Window[];
  /** Elapsed minutes from one slot's start to the next. */
  slotMinutes: number;
  /** Elapsed minutes that must fit before the window's end. */
  durationMinutes: number;
  /** The provider's busy times, sorted by start; may extend beyond the day. */
  busy: readonly Busy[];
  /** Epoch ms; earlier slots are left out. */
  now: number;
}

/** `at` is the slot's start, epoch ms. */
export interface Slot {
  at: number;
  free: boolean;
}

/**
 * Returns the free and taken slots of one provider's day, ascending. Slots follow each other in elapsed time, so that none is lost
 * or repeated at a clock change. A window that starts in a gap begins at the end of the gap; a repeated wall time means its first
 * occurrence, for the start and the end of a window (see `dayClock`). A window that contains a repeated hour is longer by that hour.
 * A day that the zone skips has no slots. Throws RangeError when an interval or length is not positive.
 */
export function daySlots(query: DaySlotsQuery): Slot[] {
  const { slotMinutes, durationMinutes, now } = query;
  const steps = stepsOf(slotMinutes, durationMinutes, now);
  const clock = dayClock(query.timeZone, dayNumber(query.date));
  const free = new Set(starts(query.windows, clock, steps, cursorOf(query.busy)));
  return starts(query.windows, clock, steps, cursorOf([])).map((at) => ({ at, free: free.has(at) }));
}

export interface FreeSlotsQuery {
  /** 'YYYY-MM-DD', inclusive, days in the company's zone. */
  from: string;
  to: string;
  timeZone: string;
  /** The company's hours, and `slot` and `duration` in minutes (ENTITY-15). */
  company: CompanyHours & { slot: number; duration: number };
  /** `usesRules`: whether the provider is or was on any rule. */
  providers: readonly { userId: number; usesRules: boolean }[];
  rules: readonly RuleInForce[];
  timeOff: readonly TimeOff[];
  /** Returns a provider's appointments and holds, sorted by start. */
  busyOf: (doctorId: number) => readonly Busy[];
  /** Epoch ms; earlier slots are left out. */
  now: number;
}

/** The free slots of one provider on one day; `at` are their starts, epoch ms, ascending, not empty. */
export interface FreeDay {
  date: string;
  doctorId: number;
  at: number[];
}

/**
 * Returns the free slots of many providers over many days, by provider in the given order and then by date. The result is the same as
 * with `windowsOn` and `daySlots` for each, but each day is computed once for all providers and each rule is parsed once.
 */
export function freeSlots(query: FreeSlotsQuery): FreeDay[] {
  const { timeZone, company, providers, rules, timeOff, busyOf, now } = query;
  const steps = stepsOf(company.slot, company.duration, now);
  const first = dayNumber(query.from);
  const days = Array.from({ length: Math.max(0, dayNumber(query.to) - first + 1) }, (_, index) => {
    const day = first + index;
    return { date: dateText(day), parts: calendarDay(day), clock: dayClock(timeZone, day) };
  });
  const companyWindows = [companyWindow(company)];
  const byProvider = new Map<number, ExpandedRule[]>();
  for (const rule of rules) {
    if (rule.disabled) continue;
    const test = ruleTest(rule);
    const expanded = { windows: joined(ruleWindows(rule)), applies: days.map(({ parts }) => test(parts)) };
    for (const userId of rule.providerIds) {
      const own = byProvider.get(userId);
      if (own) own.push(expanded);
      else byProvider.set(userId, [expanded]);
    }
  }
  const result: FreeDay[] = [];
  for (const { userId, usesRules } of providers) {
    const own = byProvider.get(userId) ?? [];
    const off = timeOff.filter((entry) => isOff(entry, userId));
    const cursor = cursorOf(busyOf(userId));
    days.forEach(({ date, parts, clock }, index) => {
      if (off.some(({ firstDay, lastDay }) => firstDay <= date && date <= lastDay)) return;
      let windows: readonly Window[] = [];
      if (usesRules) windows = windowsOfDay(own, index);
      else if (isWorkday(parts.weekday)) windows = companyWindows;
      const at = starts(windows, clock, steps, cursor);
      if (at.length > 0) result.push({ date, doctorId: userId, at });
    });
  }
  return result;
}

/** A rule's windows, merged, and whether it applies on each of the requested days. */
interface ExpandedRule {
  windows: readonly Window[];
  applies: readonly boolean[];
}

/** Most days have one rule: windows are merged only when there are several. */
function windowsOfDay(rules: readonly ExpandedRule[], index: number): readonly Window[] {
  let windows: readonly Window[] | undefined;
  let several = false;
  for (const rule of rules) {
    if (!rule.applies[index]) continue;
    several ||= windows !== undefined;
    windows = windows ? windows.concat(rule.windows) : rule.windows;
  }
  return several ? joined(windows ?? []) : (windows ?? []);
}

/** Whether an instant is before noon in the zone; 12:00 is afternoon (CONST-11). `at` is epoch ms. */
export function isMorning(at: number, timeZone: string): boolean {
  const wall = at + offsetAt(timeZone, at);
  return wall - Math.floor(wall / dayMs) * dayMs < dayMs / 2;
}

interface Steps {
  stepMs: number;
  durationMs: number;
  now: number;
}

function stepsOf(slotMinutes: number, durationMinutes: number, now: number): Steps {
  if (!(slotMinutes > 0 && durationMinutes > 0))
    throw new RangeError('The interval and length of slots must be positive.');
  return { stepMs: slotMinutes * minuteMs, durationMs: durationMinutes * minuteMs, now };
}

/** The position in a provider's busy times; they and the slots are both ascending. */
interface Cursor {
  busy: readonly Busy[];
  next: number;
  /** The latest end of the passed entries; a long entry may end after later ones. */
  busyUntil: number;
}

function cursorOf(busy: readonly Busy[]): Cursor {
  return { busy, next: 0, busyUntil: Number.NEGATIVE_INFINITY };
}

/** Returns the free starts within a day's windows, and advances the cursor. */
function starts(
  windows: readonly Window[],
  clock: (minute: number) => number,
  { stepMs, durationMs, now }: Steps,
  cursor: Cursor,
): number[] {
  const free: number[] = [];
  const { busy } = cursor;
  let { next, busyUntil } = cursor;
  for (const window of windows) {
    const last = clock(window.end) - durationMs;
    const open = clock(window.start);
    // The steps count from the window's start, also when it is in the past.
    const pastSteps = now > open ? Math.ceil((now - open) / stepMs) : 0;
    for (let at = open + pastSteps * stepMs; at <= last; at += stepMs) {
      const end = at + durationMs;
      for (let entry = busy[next]; entry && entry.start < end; entry = busy[next]) {
        if (entry.end > busyUntil) busyUntil = entry.end;
        next += 1;
      }
      if (busyUntil <= at) free.push(at);
    }
  }
  cursor.next = next;
  cursor.busyUntil = busyUntil;
  return free;
}
