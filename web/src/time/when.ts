import { dateOf, formatLongDate, formatTime, ownZone, sameClock } from './time.ts';

const atClinic = (time: string) => `That’s ${time} clinic time.`;

/** Date and time of an appointment in the reader's zone, and the clinic's time where the two differ. */
export function whenOf(startDate: string, clinicZone: string): { date: string; time: string; atClinic?: string } {
  const own = ownZone();
  const date = formatLongDate(dateOf(startDate, own));
  if (sameClock(startDate, own, clinicZone)) return { date, time: formatTime(startDate, own) };
  return {
    date,
    time: formatTime(startDate, own, clinicZone),
    atClinic: atClinic(formatTime(startDate, clinicZone, own)),
  };
}
