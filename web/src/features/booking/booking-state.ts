import type { bookSlot } from '@roomside/contract/booking/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';

/** What the patient types; phone digits as typed, the date of birth in three parts. */
export interface Person {
  firstName: string;
  lastName: string;
  month: string;
  day: string;
  year: string;
  phone: string;
  email: string;
}

/** A hold; `until` by this device's clock, ms. */
export interface Held {
  holdUid: string;
  startDate: string;
  doctorId: number;
  until: number;
}

/** The code that was sent to the contact, or the wish for another one. */
export type Confirmation = { code: string } | { sendAgain: true };

type Booked = ResultOf<typeof bookSlot>;

/** What is stored of a booked visit. It names no patient and does not open the visit; `until` by this device's clock, ms. */
type StoredVisit = Pick<Booked, 'startDate' | 'endDate' | 'doctor'> & { until: number };

/** What opens a booked visit, and where it was sent if that is known; never stored. */
export type Access = Pick<Booked, 'accessCode' | 'calendar'> & { contact: string | null };

/** How long a reload still shows the booked visit, ms. */
const bookedShownMs = 15 * 60_000;

/** The state of a booking that survives a reload: stored in the tab, never in the address. */
export interface BookingState {
  /** The random id of this browser's hold. */
  holder: string;
  /** 0 = any provider; null = not chosen yet. */
  doctorId: number | null;
  held: Held | null;
  person: Person;
  wish: string;
  booked: StoredVisit | null;
}

const keyOf = (companyUid: string) => `booking:${companyUid}`;

export const noPerson: Person = { firstName: '', lastName: '', month: '', day: '', year: '', phone: '', email: '' };

export function freshBooking(): BookingState {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const holder = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { holder, doctorId: null, held: null, person: noPerson, wish: '', booked: null };
}

/** Returns the state after a booking: others who use the device do not find what was typed. */
export function bookedState({ startDate, endDate, doctor }: Booked): BookingState {
  return { ...freshBooking(), booked: { startDate, endDate, doctor, until: Date.now() + bookedShownMs } };
}

export function loadBooking(companyUid: string): BookingState {
  try {
    const stored = sessionStorage.getItem(keyOf(companyUid));
    const state = { ...freshBooking(), ...(JSON.parse(stored ?? '{}') as Partial<BookingState>) };
    if (!state.booked || state.booked.until > Date.now()) return state;
  } catch {
    // Not this application's data, or no storage: start again.
  }
  return freshBooking();
}

export function saveBooking(companyUid: string, state: BookingState): void {
  try {
    sessionStorage.setItem(keyOf(companyUid), JSON.stringify(state));
  } catch {
    // A full or forbidden storage only means that a reload loses the data.
  }
}

/** Returns 'YYYY-MM-DD' of the three fields, '' when all are empty; the schema refuses impossible dates. */
export function birthDateOf({ month, day, year }: Person): string {
  if (!month && !day && !year) return '';
  return `${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Returns ten digits: '(212) 555-1234' and '+1 212 555 1234' are the same phone. */
export function phoneDigits(typed: string): string {
  const digits = typed.replace(/\D/g, '');
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

/** Formats seconds as 'm:ss'. */
export const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
