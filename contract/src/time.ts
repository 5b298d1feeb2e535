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
