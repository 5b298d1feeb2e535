type Parts = Intl.DateTimeFormatOptions;

/** Words for an instant in the clinic's zone, with plain spaces: the narrow one of newer ICUs is not plain text. */
export function inZone(instant: string, timeZone: string, parts: Parts): string {
  return new Intl.DateTimeFormat('en-US', { timeZone, ...parts }).format(new Date(instant)).replace(/\u202f/g, ' ');
}

const day: Parts = { weekday: 'long', month: 'long', day: 'numeric' };

/** Of a day, a moment for mails, one for text messages, and a time alone; the last three name the zone. */
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
