type Parts = Intl.DateTimeFormatOptions;

/** Formats an instant in the clinic's time zone, with plain spaces instead of the narrow ones of newer ICU versions. */
export function inZone(instant: string, timeZone: string, parts: Parts): string {
  return new Intl.DateTimeFormat('en-US', { timeZone, ...parts }).format(new Date(instant)).replace(/\u202f/g, ' ');
}

const day: Parts = { weekday: 'long', month: 'long', day: 'numeric' };

/** A day, a date with time for mails and for text messages, and a time; the last three include the zone. */
export const timeFormats = {
  day,
  full: { ...day, year: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'long' },
  short: {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  },
  time: { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
} as const satisfies Record<string, Parts>;
