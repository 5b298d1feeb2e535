/**
 * Wall time and instants. Instants are UTC ISO 8601 texts on the wire; a company's day and clock are those of its
 * IANA zone. Everything goes through Temporal; no second time library computes anything.
 */

/** The instant of a wall time in a zone: in a gap the later one, in a repeated hour the first (decisions, 4). */
export function wallToInstant(day: string, time: string, zone: string): string {
  return Temporal.PlainDateTime.from(`${day}T${time}`)
    .toZonedDateTime(zone, { disambiguation: 'compatible' })
    .toInstant()
    .toString({ smallestUnit: 'millisecond' });
}

/** The wall day and time ('HH:mm') of an instant in a zone. */
export function instantToWall(instant: string, zone: string): { day: string; time: string } {
  const zoned = Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
  return { day: zoned.toPlainDate().toString(), time: zoned.toPlainTime().toString({ smallestUnit: 'minute' }) };
}

/** The half-open instants [from, to) of one calendar day in a zone; 23 or 25 hours apart where clocks change. */
export function dayBounds(day: string, zone: string): { from: string; to: string } {
  const plain = Temporal.PlainDate.from(day);
  const at = (d: Temporal.PlainDate) => d.toZonedDateTime(zone).toInstant().toString({ smallestUnit: 'millisecond' });
  return { from: at(plain), to: at(plain.add({ days: 1 })) };
}

/** True for a name that Temporal accepts as a zone, e.g. 'America/New_York'. */
export function isTimeZone(zone: string): boolean {
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

/** What is known of a zone, by UTC day number. Its rules hold as long as the process. */
interface ZoneMemory {
  /** The offset at the start of the UTC day, ms. */
  offsets: Map<number, number>;
  /** The instant (epoch ms) within the UTC day at which the offset of the next one begins. */
  changes: Map<number, number>;
}

const zones = new Map<string, ZoneMemory>();
const maxDays = 10_000;

function memoryOf(zone: string): ZoneMemory {
  let memory = zones.get(zone);
  if (!memory) {
    memory = { offsets: new Map(), changes: new Map() };
    zones.set(zone, memory);
  }
  return memory;
}

function lookUpOffset(zone: string, at: number): number {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;
}

function offsetAtUtcDay(zone: string, { offsets }: ZoneMemory, day: number): number {
  let offset = offsets.get(day);
  if (offset === undefined) {
    offset = lookUpOffset(zone, day * dayMs);
    if (offsets.size >= maxDays) offsets.clear();
    offsets.set(day, offset);
  }
  return offset;
}

/** The zone's offset from UTC at an instant (epoch ms), in ms: wall time = instant + offset. */
export function offsetAt(zone: string, at: number): number {
  const memory = memoryOf(zone);
  const day = Math.floor(at / dayMs);
  const offset = offsetAtUtcDay(zone, memory, day);
  return offset === offsetAtUtcDay(zone, memory, day + 1) ? offset : lookUpOffset(zone, at);
}

/**
 * The clock of one calendar day (days since 1970-01-01) in a zone: minutes of wall time 0..1440 -> the first instant
 * (epoch ms) at which the zone's clock has come to that time or passed it. So a time in a gap means the end of the gap,
 * a time in a repeated hour the first one, 1440 the start of the next day, and on a day that the zone lacks every time
 * is one and the same instant. It never runs backwards: a later wall time gives no earlier instant.
 */
export function dayClock(zone: string, day: number): (minute: number) => number {
  const midnight = day * dayMs;
  const memory = memoryOf(zone);
  // No zone is further than a day from UTC: these UTC days hold every instant of the local one.
  const changes: { at: number; before: number }[] = [];
  let offset = offsetAtUtcDay(zone, memory, day - 1);
  for (let utcDay = day; utcDay <= day + 2; utcDay += 1) {
    const next = offsetAtUtcDay(zone, memory, utcDay);
    if (next === offset) continue;
    const at = changeWithin(zone, memory, utcDay - 1);
    // What changes after the next midnight is not yet; what has changed by this one, leaping over none of the day, is past.
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

/** The second (as epoch ms) at which, within a UTC day, the offset of the next one begins. */
function changeWithin(zone: string, memory: ZoneMemory, utcDay: number): number {
  const known = memory.changes.get(utcDay);
  if (known !== undefined) return known;
  const offset = offsetAtUtcDay(zone, memory, utcDay + 1);
  let old = utcDay * 86_400;
  let changed = old + 86_400;
  while (changed - old > 1) {
    const middle = Math.floor((old + changed) / 2);
    if (lookUpOffset(zone, middle * 1000) === offset) changed = middle;
    else old = middle;
  }
  memory.changes.set(utcDay, changed * 1000);
  return changed * 1000;
}
