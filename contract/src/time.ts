/**
 * Wall time and instants. Instants are UTC ISO 8601 texts on the wire; a company's days and times are in its IANA zone.
 * All conversions use Temporal.
 */

/** Returns the instant of a wall time in a zone: in a gap the later one, in a repeated hour the first (docs/decisions/009). */
export function wallToInstant(day: string, time: string, zone: string): string {
  return Temporal.PlainDateTime.from(`${day}T${time}`)
    .toZonedDateTime(zone, { disambiguation: 'compatible' })
    .toInstant()
    .toString({ smallestUnit: 'millisecond' });
}

/** Returns the day and wall time ('HH:mm') of an instant in a zone. */
export function instantToWall(instant: string, zone: string): { day: string; time: string } {
  const zoned = Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
  return { day: zoned.toPlainDate().toString(), time: zoned.toPlainTime().toString({ smallestUnit: 'minute' }) };
}

/** Returns the half-open interval [from, to) of one calendar day in a zone: 23 or 25 hours at a clock change. */
export function dayBounds(day: string, zone: string): { from: string; to: string } {
  const plain = Temporal.PlainDate.from(day);
  const at = (d: Temporal.PlainDate) => d.toZonedDateTime(zone).toInstant().toString({ smallestUnit: 'millisecond' });
  return { from: at(plain), to: at(plain.add({ days: 1 })) };
}

/**
 * Whether the text is the IANA name of a zone, e.g. 'America/New_York'. An offset such as '+05:30' is none: PostgreSQL's `at time zone` reads
 * it with the opposite sign.
 */
export function isTimeZone(zone: string): boolean {
  if (/^[+-]/.test(zone)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}

/** '1430' -> '14:30' (APPT-1). */
export function fromHhmm(hhmm: string): string {
  return `${hhmm.slice(0, 2)}:${hhmm.slice(2)}`;
}

/** Adds minutes to an instant. */
export function addMinutes(instant: string, minutes: number): string {
  return new Date(Date.parse(instant) + minutes * 60_000).toISOString();
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The cached offsets of a zone, by UTC day number. The rules of a zone do not change while the process runs. */
interface ZoneCache {
  /** The offset at the start of a UTC day, ms. */
  offsets: Map<number, number>;
  /** The instant (epoch ms) within a UTC day at which the next day's offset begins. */
  changes: Map<number, number>;
}

const zones = new Map<string, ZoneCache>();
const maxCachedDays = 10_000;

function cacheOf(zone: string): ZoneCache {
  let cache = zones.get(zone);
  if (!cache) {
    cache = { offsets: new Map(), changes: new Map() };
    zones.set(zone, cache);
  }
  return cache;
}

function lookUpOffset(zone: string, at: number): number {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;
}

function offsetAtUtcDay(zone: string, { offsets }: ZoneCache, day: number): number {
  let offset = offsets.get(day);
  if (offset === undefined) {
    offset = lookUpOffset(zone, day * dayMs);
    if (offsets.size >= maxCachedDays) offsets.clear();
    offsets.set(day, offset);
  }
  return offset;
}

/** Returns the zone's offset from UTC at an instant (epoch ms), in ms: wall time = instant + offset. */
export function offsetAt(zone: string, at: number): number {
  const cache = cacheOf(zone);
  const day = Math.floor(at / dayMs);
  const offset = offsetAtUtcDay(zone, cache, day);
  return offset === offsetAtUtcDay(zone, cache, day + 1) ? offset : lookUpOffset(zone, at);
}

/**
 * Returns the clock of one calendar day (days since 1970-01-01) in a zone: a function from minutes of wall time (0..1440) to the first
 * instant (epoch ms) at which the zone's clock has reached or passed that time. A time in a gap is the end of the gap, a repeated time
 * its first occurrence, 1440 the start of the next day; on a day that the zone skips all times are the same instant. The function is
 * monotonic: a later wall time never returns an earlier instant.
 */
export function dayClock(zone: string, day: number): (minute: number) => number {
  const midnight = day * dayMs;
  const cache = cacheOf(zone);
  // No zone is more than a day from UTC: these UTC days contain all instants of the local day.
  const changes: { at: number; before: number }[] = [];
  let offset = offsetAtUtcDay(zone, cache, day - 1);
  for (let utcDay = day; utcDay <= day + 2; utcDay += 1) {
    const next = offsetAtUtcDay(zone, cache, utcDay);
    if (next === offset) continue;
    const at = changeWithin(zone, cache, utcDay - 1);
    // Ignores changes after the next midnight, and changes before this one that do not affect the day.
    if (at > midnight + dayMs - offset) break;
    if (at > midnight - Math.max(offset, next)) changes.push({ at, before: offset });
    offset = next;
  }
  const last = offset;
  if (changes.length === 0) return (minute) => midnight + minute * minuteMs - last;
  return (minute) => {
    const wall = midnight + minute * minuteMs;
    let from = Number.NEGATIVE_INFINITY;
    for (const { at, before } of changes) {
      if (wall - before < at) return Math.max(from, wall - before);
      from = at;
    }
    return Math.max(from, wall - last);
  };
}

/** Returns the second (as epoch ms) within a UTC day at which the next day's offset begins. */
function changeWithin(zone: string, cache: ZoneCache, utcDay: number): number {
  const known = cache.changes.get(utcDay);
  if (known !== undefined) return known;
  const offset = offsetAtUtcDay(zone, cache, utcDay + 1);
  let old = utcDay * 86_400;
  let changed = old + 86_400;
  while (changed - old > 1) {
    const middle = Math.floor((old + changed) / 2);
    if (lookUpOffset(zone, middle * 1000) === offset) changed = middle;
    else old = middle;
  }
  cache.changes.set(utcDay, changed * 1000);
  return changed * 1000;
}

/** The minute of the day of a wall time: 'HH:mm' until '24:00'. */
export function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}
