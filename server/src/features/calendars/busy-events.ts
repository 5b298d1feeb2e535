import { dayBounds, isTimeZone, wallToInstant } from '@roomside/contract/time.ts';
import ICAL from 'ical.js';
import { mergedSpans, type Span } from './spans.ts';

export interface BusyQuery {
  /** text/calendar (RFC 5545). */
  readonly text: string;
  /** IANA name: the zone of times and days without one, when the calendar names none either. */
  readonly timeZone: string;
  /** Epoch ms; events that overlap this span are returned. */
  readonly from: number;
  readonly until: number;
}

/** The busy spans of a calendar, by start, without overlaps, and those of events whose UID is of the form of ours. */
export interface BusyEvents {
  readonly busy: readonly Span[];
  /** `uid` is the part before the @. */
  readonly own: readonly (Span & { readonly uid: string })[];
}

export type BusyProblem = 'not-calendar' | 'too-many' | 'too-complex';

/** A calendar cannot be expanded. */
export class BusyError extends Error {
  override name = 'BusyError';
  readonly problem: BusyProblem;
  constructor(problem: BusyProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** Spans before they are merged, and steps of recurrences. */
const maxSpans = 20_000;
const maxSteps = 300_000;
/** A listed date takes as long as so many steps, since the instants of zones are computed. */
const stepsPerDate = 10;
const dayMs = 86_400_000;
const ownUid = /^([0-9a-f]{32})@roomside$/i;

/**
 * Returns the busy times of a calendar. Free, cancelled and empty events are left out. Times without a zone, and whole days, are in the
 * calendar's zone (X-WR-TIMEZONE), else in `timeZone`. Events that cannot be read are left out.
 *
 * @throws BusyError
 */
export function busyEvents({ text, timeZone, from, until }: BusyQuery): BusyEvents {
  const busy: Span[] = [];
  const own: (Span & { uid: string })[] = [];
  const budget = { steps: maxSteps };
  for (const calendar of parse(text)) {
    const { events } = calendar;
    const zone = zoneOf(calendar.root) ?? timeZone;
    const moved = movedOccurrences(events, zone);
    for (const event of events) {
      const uid = textOf(event, 'uid');
      const ours = ownUid.exec(uid)?.[1]?.toLowerCase();
      for (const span of spansOf(event, { zone, from, until, budget, moved: moved.get(uid) })) {
        if (ours === undefined) busy.push(span);
        else own.push({ ...span, uid: ours });
        if (busy.length + own.length > maxSpans) throw new BusyError('too-many');
      }
    }
  }
  return { busy: mergedSpans(busy), own };
}

/** A calendar. `root` has its properties and zones only: the library searches all of it for a zone that is not there. */
interface Calendar {
  readonly root: ICAL.Component;
  readonly events: readonly ICAL.Component[];
}

/** A component as the library parses it: name, properties, parts (jCal, RFC 7265). */
type Parsed = [name: string, properties: unknown[], parts: Parsed[]];

function parse(text: string): Calendar[] {
  const content = text.replace(/^\uFEFF/, '').trimStart();
  if (!/^BEGIN:VCALENDAR\r?\n/i.test(content)) throw new BusyError('not-calendar');
  try {
    const parsed = ICAL.parse(content) as Parsed | Parsed[];
    // Several calendars in one file are a list of them.
    const calendars = (typeof parsed[0] === 'string' ? [parsed] : parsed) as Parsed[];
    return calendars.map(([name, properties, parts]) => {
      const named = (wanted: string) => parts.filter(([part]) => part === wanted);
      const root = new ICAL.Component([name, properties, named('vtimezone')]);
      return { root, events: named('vevent').map((event) => new ICAL.Component(event, root)) };
    });
  } catch {
    throw new BusyError('not-calendar');
  }
}

const textOf = (component: ICAL.Component, name: string): string =>
  String(component.getFirstPropertyValue(name) ?? '').trim();

/** Whether a calendar's name of a zone can be read. Some programs write an offset ('+05:30') for a name. */
const isReadable = (zone: string): boolean => isTimeZone(zone) || /^[+-]([01]\d|2[0-3]):[0-5]\d$/.test(zone);

function zoneOf(calendar: ICAL.Component): string | undefined {
  const zone = textOf(calendar, 'x-wr-timezone');
  return isReadable(zone) ? zone : undefined;
}

/** Occurrences of a series that have a separate entry (RECURRENCE-ID), by UID. */
function movedOccurrences(events: readonly ICAL.Component[], zone: string): Map<string, Set<string>> {
  const moved = new Map<string, Set<string>>();
  for (const event of events) {
    const uid = textOf(event, 'uid');
    const keys = moved.get(uid) ?? new Set<string>();
    for (const key of keysOf(event, 'recurrence-id', zone)) keys.add(key);
    if (keys.size > 0) moved.set(uid, keys);
  }
  return moved;
}

interface Expansion {
  readonly zone: string;
  readonly from: number;
  readonly until: number;
  /** The steps that are left for the whole calendar. */
  readonly budget: { steps: number };
  readonly moved: ReadonlySet<string> | undefined;
}

function spansOf(event: ICAL.Component, expansion: Expansion): Span[] {
  const isFree =
    textOf(event, 'transp').toUpperCase() === 'TRANSPARENT' || textOf(event, 'status').toUpperCase() === 'CANCELLED';
  if (isFree) return [];
  try {
    return expand(event, expansion);
  } catch (error) {
    if (error instanceof BusyError) throw error;
    return [];
  }
}

/** A point in time of a calendar with the name of its zone, which may have no definition in the file. */
interface Point {
  readonly time: ICAL.Time;
  readonly tzid: string;
}

function expand(event: ICAL.Component, { zone, from, until, budget, moved }: Expansion): Span[] {
  const first = pointsOf(event, 'dtstart')[0];
  if (!first || isElsewhen(event, first, { from, until })) return [];
  const length = lengthOf(event, first, zone);
  if (length(first) <= 0) return [];
  for (const name of ['exdate', 'rdate']) takeSteps(budget, stepsPerDate * countValues(event, name));
  const isSeries = !event.hasProperty('recurrence-id');
  const skipped = new Set([...keysOf(event, 'exdate', zone), ...((isSeries && moved) || [])]);
  const spans: Span[] = [];
  const seen = new Set<number>();
  const add = (point: Point) => {
    const start = instantOf(point, zone);
    const end = start + length(point);
    if (end <= from || start >= until || seen.has(start)) return;
    if (keysAt(point.time, start).some((key) => skipped.has(key))) return;
    seen.add(start);
    spans.push({ start, end });
    if (spans.length > maxSpans) throw new BusyError('too-many');
  };
  const rules = isSeries ? event.getAllProperties('rrule') : [];
  // The first occurrence belongs to a series by definition.
  add(first);
  for (const rule of rules) {
    const recur = rule.getFirstValue() as unknown as ICAL.Recur;
    const reach = length(first) + 2 * dayMs;
    if (recur.until && wallMs(recur.until) + reach < from) continue;
    const iterator = recur.iterator(nearStart(recur, first.time, from - reach));
    for (let next = iterator.next(); next; next = iterator.next()) {
      takeSteps(budget, 1);
      const at = wallMs(next);
      if (at > until + 2 * dayMs) break;
      // The zone of a time is a day or less.
      if (at + reach > from) add({ time: next.clone(), tzid: first.tzid });
    }
  }
  if (isSeries) for (const point of pointsOf(event, 'rdate')) add(point);
  return spans;
}

function takeSteps(budget: { steps: number }, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new BusyError('too-complex');
}

const countValues = (event: ICAL.Component, name: string): number =>
  event.getAllProperties(name).reduce((sum, property) => sum + property.jCal.length - 3, 0);

/** Whether a single event is outside of the span in any zone. Most events of a calendar are long past, and zones take time to compute. */
function isElsewhen(event: ICAL.Component, first: Point, { from, until }: { from: number; until: number }): boolean {
  if (event.hasProperty('rrule') || event.hasProperty('rdate') || event.hasProperty('duration')) return false;
  const start = wallMs(first.time);
  const [end] = pointsOf(event, 'dtend');
  // Wall times differ from instants by less than a day.
  return start - 2 * dayMs > until || Math.max(start, end ? wallMs(end.time) : start) + 2 * dayMs < from;
}

/**
 * Returns a start from which a rule gives the same occurrences from `from` (wall time, ms) on: daily and weekly rules without a count
 * repeat themselves, so that a series of many years is not followed from its beginning.
 */
function nearStart({ freq, interval, count }: ICAL.Recur, first: ICAL.Time, from: number): ICAL.Time {
  const days = { DAILY: 1, WEEKLY: 7 }[freq];
  if (days === undefined || count) return first;
  const step = days * Math.max(1, interval);
  const passed = Math.floor((from - wallMs(first)) / (step * dayMs)) - 1;
  if (passed <= 0) return first;
  const start = first.clone();
  start.adjust(passed * step, 0, 0, 0);
  return start;
}

/** Returns the length of an occurrence, ms: whole days follow the clock, times last as long as the first one. */
function lengthOf(event: ICAL.Component, first: Point, zone: string): (point: Point) => number {
  const [end] = pointsOf(event, 'dtend');
  const duration = event.getFirstPropertyValue('duration') as unknown as ICAL.Duration | null;
  if (first.time.isDate) {
    const wall = end ? wallMs(end.time) - wallMs(first.time) : (duration?.toSeconds() ?? dayMs / 1000) * 1000;
    const days = Math.max(1, Math.round(wall / dayMs));
    return ({ time }) => {
      const day = dayOf(time);
      const last = Temporal.PlainDate.from(day)
        .add({ days: days - 1 })
        .toString();
      return Date.parse(dayBounds(last, zone).to) - Date.parse(dayBounds(day, zone).from);
    };
  }
  const ms = end ? instantOf(end, zone) - instantOf(first, zone) : (duration?.toSeconds() ?? 0) * 1000;
  return () => ms;
}

function pointsOf(event: ICAL.Component, name: string): Point[] {
  return event.getAllProperties(name).flatMap((property) => {
    const tzid = String(property.getParameter('tzid') ?? '');
    return property.getValues().map((value: unknown) => {
      const time = (value instanceof ICAL.Period ? value.start : value) as ICAL.Time;
      return { time, tzid };
    });
  });
}

/** Epoch ms of a point: by its definition in the file, else by the zone of that name, else in `zone`. */
function instantOf({ time, tzid }: Point, zone: string): number {
  if (time.isDate) return Date.parse(dayBounds(dayOf(time), zone).from);
  if (time.zone === ICAL.Timezone.utcTimezone) return wallMs(time);
  if (time.zone?.component) return wallMs(time) - time.zone.utcOffset(time) * 1000;
  const named = tzid && isReadable(tzid) ? tzid : zone;
  return Date.parse(wallToInstant(dayOf(time), clockOf(time), named));
}

/** The wall time as if it were UTC, ms. */
const wallMs = (time: ICAL.Time): number =>
  Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
const two = (value: number) => String(value).padStart(2, '0');
const dayOf = ({ year, month, day }: ICAL.Time) => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
const clockOf = ({ hour, minute, second }: ICAL.Time) => `${two(hour)}:${two(minute)}:${two(second)}`;

/** How an occurrence is named by EXDATE and RECURRENCE-ID: by its instant, or by its day. */
const keysAt = (time: ICAL.Time, instant: number): string[] => [String(instant), dayOf(time)];

function keysOf(event: ICAL.Component, name: string, zone: string): string[] {
  return pointsOf(event, name).map((point) => (point.time.isDate ? dayOf(point.time) : String(instantOf(point, zone))));
}
