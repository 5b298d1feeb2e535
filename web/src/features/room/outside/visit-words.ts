import { dateOf, formatLongDate, formatTime, ownZone, sameClock } from '../../../time/time.ts';
import { texts } from './texts.ts';

/** Date and time of a visit in the reader's zone, and the clinic's time where the two differ. */
export function whenOf(startDate: string, clinicZone: string): { date: string; time: string; atClinic?: string } {
  const own = ownZone();
  const date = formatLongDate(dateOf(startDate, own));
  if (sameClock(startDate, own, clinicZone)) return { date, time: formatTime(startDate, own) };
  return {
    date,
    time: formatTime(startDate, own, clinicZone),
    atClinic: texts.atClinic(formatTime(startDate, clinicZone, own)),
  };
}

export function fullName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`.trim();
}
