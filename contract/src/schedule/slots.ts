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

/** A live appointment or a hold: epoch ms, half open, so that the next one may begin at its end. */
export interface Busy {
  start: number;
  end: number;
}

export interface DaySlotsQuery {
  /** 'YYYY-MM-DD', a day of the clinic's zone. */
  date: string;
  /** IANA name. */
  timeZone: string;
  /** As `windowsOn` answers them. */
  windows: readonly Window[];
  /** Elapsed minutes from one slot's start to the next. */
  slotMinutes: number;
  /** Elapsed minutes that have to fit before the window's end. */
  durationMinutes: number;
  /** The provider's, sorted by start; may reach beyond the day. */
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
 * The slots of one provider's day, ascending, those taken marked as such. Slots are stepped in elapsed time, so none is
 * lost or doubled where clocks change; a window that begins within a gap begins when the gap ends, and a wall time that
 * comes twice means its first coming, for a window's start as for its end (see `dayClock`). A window with a repeated
 * hour inside is that much longer. A day that the zone lacks has none. Throws RangeError for steps of nothing.
 */
export function daySlots(query: DaySlotsQuery): Slot[] {
  const { slotMinutes, durationMinutes, now } = query;
  const steps = stepsOf(slotMinutes, durationMinutes, now);
  const clock = dayClock(query.timeZone, dayNumber(query.date));
  const free = new Set(starts(query.windows, clock, steps, cursorOf(query.busy)));
  return starts(query.windows, clock, steps, cursorOf([])).map((at) => ({ at, free: free.has(at) }));
}

export interface FreeSlotsQuery {
  /** 'YYYY-MM-DD', both days inclusive, days of the clinic's zone. */
  from: string;
  to: string;
  timeZone: string;
  /** The clinic's hours, and `slot` and `duration` in minutes (ENTITY-15). */
  company: CompanyHours & { slot: number; duration: number };
  /** `usesRules`: stands, or ever stood, on any rule. */
  providers: readonly { userId: number; usesRules: boolean }[];
  rules: readonly RuleInForce[];
  timeOff: readonly TimeOff[];
  /** A provider's live appointments and holds, sorted by start. */
  busyOf: (doctorId: number) => readonly Busy[];
  /** Epoch ms; earlier slots are left out. */
  now: number;
}

/** The free slots of one provider on one day; `at` are their starts, epoch ms, ascending, at least one. */
export interface FreeDay {
  date: string;
  doctorId: number;
  at: number[];
}

/**
 * The free slots of many providers over many days, by provider in the order given and then by date: the same as
 * `windowsOn` and `daySlots` for each, with every day looked up once for all providers and every rule read once.
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
    const expanded = { windows: joined(ruleWindows(rule)), holds: days.map(({ parts }) => test(parts)) };
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

/** A rule's own windows, joined, and whether it holds on each of the days asked for. */
interface ExpandedRule {
  windows: readonly Window[];
  holds: readonly boolean[];
}

/** Most days have one rule: only where there are more is anything joined. */
function windowsOfDay(rules: readonly ExpandedRule[], index: number): readonly Window[] {
  let windows: readonly Window[] | undefined;
  let several = false;
  for (const rule of rules) {
    if (!rule.holds[index]) continue;
    several ||= windows !== undefined;
    windows = windows ? windows.concat(rule.windows) : rule.windows;
  }
  return several ? joined(windows ?? []) : (windows ?? []);
}

/** Before noon on the clinic's clock; 12:00 is afternoon (CONST-11). `at` is epoch ms. */
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
  if (!(slotMinutes > 0 && durationMinutes > 0)) throw new RangeError('A slot takes more than no time.');
  return { stepMs: slotMinutes * minuteMs, durationMs: durationMinutes * minuteMs, now };
}

/** How far a provider's busy times have been walked through; they and the slots both ascend. */
interface Cursor {
  busy: readonly Busy[];
  next: number;
  /** The latest end of those passed: one long entry may hide behind shorter ones. */
  busyUntil: number;
}

function cursorOf(busy: readonly Busy[]): Cursor {
  return { busy, next: 0, busyUntil: Number.NEGATIVE_INFINITY };
}

/** The free starts within a day's windows; moves the cursor on. */
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
    // The steps count from the window's start even where that is past.
    const passed = now > open ? Math.ceil((now - open) / stepMs) : 0;
    for (let at = open + passed * stepMs; at <= last; at += stepMs) {
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
