import { dayBounds, offsetAt } from '@roomside/contract/time.ts';

/**
 * All conversions between wall time and instants. Instants are ISO texts with offset, dates 'YYYY-MM-DD', wall times 'HH:mm'
 * and zones IANA names.
 */

/** The device's zone. */
export const ownZone = (): string => Temporal.Now.timeZoneId();

/** A clock that tests can set; ms since 1970. */
const nowMs = (): number => Date.now();

/** The current instant. */
export const now = (): string => Temporal.Instant.fromEpochMilliseconds(nowMs()).toString();

/** Today's date in a zone. */
export const today = (zone: string): string => dateOf(now(), zone);

/** The instant of a wall time: the first one in a repeated hour, the later one in a gap. */
export function wallToInstant(date: string, time: string, zone: string): string {
  const wall = Temporal.PlainDate.from(date).toPlainDateTime(Temporal.PlainTime.from(time));
  return wall.toZonedDateTime(zone, { disambiguation: 'compatible' }).toInstant().toString();
}

const zoned = (instant: string, zone: string) => Temporal.Instant.from(instant).toZonedDateTimeISO(zone);

/** The date of an instant in a zone. */
export const dateOf = (instant: string, zone: string): string => zoned(instant, zone).toPlainDate().toString();

/** The wall time of an instant in a zone, to the minute. */
export const timeOf = (instant: string, zone: string): string =>
  zoned(instant, zone).toPlainTime().toString({ smallestUnit: 'minute' });

/** Moves a date by days; negative goes back. */
export const addDays = (date: string, days: number): string => Temporal.PlainDate.from(date).add({ days }).toString();

const formats = new Map<string, Intl.DateTimeFormat>();
/** Cached, since creating a format is slow and lists need hundreds. */
function format(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat('en-US', options);
    formats.set(key, made);
  }
  return made;
}
const inWords = (instant: string, options: Intl.DateTimeFormatOptions) =>
  format(options).format(new Date(instant)).replaceAll('\u202f', ' ');
const ofDate = (date: string, options: Intl.DateTimeFormatOptions) =>
  inWords(`${date}T00:00:00Z`, { ...options, timeZone: 'UTC' });

const shortDate = { month: '2-digit', day: '2-digit', year: 'numeric' } as const;

/** The short form, '11/21/2026' (LIST-2): dates in lists, facts, fields and messages; with a time by {@link formatDateTime}. */
export const formatDate = (date: string): string => ofDate(date, shortDate);

/** '1/5/2026': only the links to the previous and the next day (LIST-5). */
export const formatDayLink = (date: string): string =>
  ofDate(date, { month: 'numeric', day: 'numeric', year: 'numeric' });
/** The long form, 'Saturday, November 21, 2026': headings of days, and texts in which the weekday matters, such as the time of a visit. */
export const formatLongDate = (date: string): string =>
  ofDate(date, { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' });

/** 'Sat, Nov 21, 2026': only above and on the buttons of free times, where the long form does not fit. */
export const formatDay = (date: string): string =>
  ofDate(date, { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' });

/** 'November 2026'. */
export const formatMonth = (date: string): string => ofDate(date, { month: 'long', year: 'numeric' });

/** The wall date and the minute of its day (0..1439) of an instant; fast enough for calendars with thousands. */
export function wallPlace(instant: string, zone: string): { date: string; minute: number } {
  const at = Date.parse(instant);
  const wall = new Date(at + offsetAt(zone, at));
  return { date: wall.toISOString().slice(0, 10), minute: wall.getUTCHours() * 60 + wall.getUTCMinutes() };
}

/** A minute of the day as text: 555 is '9:15 AM', 1440 is midnight again. */
export function formatMinute(minute: number): string {
  const hour = Math.floor(minute / 60) % 24;
  return `${hour % 12 || 12}:${String(minute % 60).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** A minute of the day as wall time: 555 is '09:15'. */
export const wallTimeOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

export function clocksChange(date: string, zone: string): boolean {
  const { from, to } = dayBounds(date, zone);
  return offsetAt(zone, Date.parse(from)) !== offsetAt(zone, Date.parse(to));
}

/** '1:30 AM EST': for an hour that occurs twice. */
export const formatZonedTime = (instant: string, zone: string): string =>
  inWords(instant, { hour: 'numeric', minute: '2-digit', timeZone: zone, timeZoneName: 'short' });

/** '9:30 AM'; with the zone's short name when it is not the reader's. */
export function formatTime(instant: string, zone: string, reader: string = zone): string {
  return inWords(instant, { hour: 'numeric', minute: '2-digit', timeZone: zone, ...zoneName(instant, zone, reader) });
}

/** '9:30:05 AM': where a minute is too long; with the zone's short name when it is not the reader's. */
export function formatExactTime(instant: string, zone: string, reader: string = zone): string {
  const time = { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZone: zone } as const;
  return inWords(instant, { ...time, ...zoneName(instant, zone, reader) });
}

/** The short form with the time, '11/21/2026, 9:30 AM' (LIST-9, ENTITY-23), and the zone's short name when it is not the reader's. */
export function formatDateTime(instant: string, zone: string, reader: string = zone): string {
  const time = { hour: 'numeric', minute: '2-digit', timeZone: zone } as const;
  return inWords(instant, { ...shortDate, ...time, ...zoneName(instant, zone, reader) });
}

/** True when both zones have the same wall time at that instant. */
export const sameClock = (instant: string, zone: string, other: string): boolean =>
  zoned(instant, zone).offsetNanoseconds === zoned(instant, other).offsetNanoseconds;

/** The common name of a zone: 'America/New_York' is 'Eastern Time'. UTC has a name in the long format only. */
export function zoneLabel(zone: string): string {
  const nameIn = (timeZoneName: 'longGeneric' | 'long') =>
    format({ timeZone: zone, timeZoneName })
      .formatToParts(nowMs())
      .find(({ type }) => type === 'timeZoneName')?.value ?? zone;
  const name = nameIn('longGeneric');
  return name.startsWith('GMT') ? nameIn('long') : name;
}

const zoneName = (instant: string, zone: string, reader: string) =>
  sameClock(instant, zone, reader) ? {} : ({ timeZoneName: 'short' } as const);
