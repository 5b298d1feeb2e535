import type { bookVisit } from '@roomside/contract/booking/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';

/** What somebody types about himself; phone digits as typed, the birth date in three parts. */
export interface Person {
  firstName: string;
  lastName: string;
  month: string;
  day: string;
  year: string;
  phone: string;
  email: string;
}

/** A time that is kept; `until` by this device's clock, ms. */
export interface Held {
  holdUid: string;
  startDate: string;
  doctorId: number;
  until: number;
}

export type Booked = ResultOf<typeof bookVisit>;

/** Everything of a booking that a reload must not lose: it lives in the tab, never in an address. */
export interface BookingState {
  /** The browser's own mark for its hold. */
  holder: string;
  /** 0 = anyone; null = not chosen yet. */
  doctorId: number | null;
  held: Held | null;
  person: Person;
  wish: string;
  booked: Booked | null;
}

const keyOf = (companyUid: string) => `booking:${companyUid}`;

export const noPerson: Person = { firstName: '', lastName: '', month: '', day: '', year: '', phone: '', email: '' };

export function freshBooking(): BookingState {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const holder = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { holder, doctorId: null, held: null, person: noPerson, wish: '', booked: null };
}

export function loadBooking(companyUid: string): BookingState {
  try {
    const stored = sessionStorage.getItem(keyOf(companyUid));
    if (stored) return { ...freshBooking(), ...(JSON.parse(stored) as Partial<BookingState>) };
  } catch {
    // Not ours, or no storage: begin anew.
  }
  return freshBooking();
}

export function saveBooking(companyUid: string, state: BookingState): void {
  try {
    sessionStorage.setItem(keyOf(companyUid), JSON.stringify(state));
  } catch {
    // A full or forbidden storage only costs what a reload would keep.
  }
}

/** 'YYYY-MM-DD' of the three fields, '' when nothing is typed; nonsense stays nonsense for the schema to refuse. */
export function birthDateOf({ month, day, year }: Person): string {
  if (!month && !day && !year) return '';
  return `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Ten digits of whatever was typed: '(212) 555-1234' and '+1 212 555 1234' are the same phone. */
export function phoneDigits(typed: string): string {
  const digits = typed.replace(/\D/g, '');
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

/** Seconds as 'm:ss'. */
export const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
