import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits, maxBookingDays } from '../limits.ts';
import { staff } from '../permissions.ts';
import {
  birthDate,
  dayRange,
  email,
  id,
  idOrZero,
  instant,
  maxDays,
  personName,
  phone,
  requiredText,
  uid,
} from '../shape.ts';
import { fieldTexts } from '../texts.ts';

const company = z.object({ companyUid: uid });
/** A bookable start, instant ISO. */
const start = z.object({ startDate: z.string(), doctorId: z.int() });
export type BookableStart = z.infer<typeof start>;

/** What the page /patient/book/{companyUid} needs; 404 where the clinic takes no bookings by link. */
export const getBookingPage = call({
  name: 'getBookingPage',
  summary: 'The clinic and the providers that can be booked by link.',
  method: 'GET',
  path: '/api/booking/:companyUid',
  who: 'anyone',
  params: company,
  result: z.object({
    companyName: z.string(),
    timeZone: z.string(),
    /** Planned length of a visit, minutes. */
    duration: z.int(),
    supportEmail: z.string(),
    providers: z.array(z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() })),
    /** Company days that can be booked, both inclusive. */
    firstDay: z.string(),
    lastDay: z.string(),
    /** Where nothing fits, a time may be asked for. */
    allowReq: z.boolean(),
    now: z.string(),
  }),
});

/** The free starts of the company days `from` to `to`; doctorId 0 = anyone: each start once, with the provider it would be. */
export const listBookingSlots = call({
  name: 'listBookingSlots',
  summary: 'The starts that can be booked by link.',
  method: 'GET',
  path: '/api/booking/:companyUid/slots',
  who: 'anyone',
  params: company,
  query: z.object({ ...dayRange, doctorId: z.optional(idOrZero) }).check(maxDays(maxBookingDays)),
  result: z.object({ data: z.array(start) }),
  refusals: ['too-many'],
});

/** The browser's own random mark, so that it holds one time only and gets its own booking again after a lost answer. */
const holder = z.string().check(z.regex(/^[0-9a-f]{32}$/));

/**
 * Keeps a start for 5 minutes while the patient types; replaces the browser's earlier one. With `slot-taken`, `current`
 * is {free}: the next free starts. Three holds per address at a time, and twenty a minute
 * (`too-many`).
 */
export const holdSlot = call({
  name: 'holdSlot',
  summary: 'Keeps a start for the one who is booking.',
  method: 'POST',
  path: '/api/booking/:companyUid/hold',
  who: 'anyone',
  params: company,
  body: z.object({ holder, doctorId: id, startDate: instant }),
  result: z.object({
    holdUid: z.string(),
    startDate: z.string(),
    doctorId: z.int(),
    expires: z.string(),
    now: z.string(),
  }),
  refusals: ['slot-taken', 'too-many'],
});

export const releaseSlot = call({
  name: 'releaseSlot',
  summary: 'Gives a held start back.',
  method: 'DELETE',
  path: '/api/booking/:companyUid/hold/:holdUid',
  who: 'anyone',
  params: z.object({ companyUid: uid, holdUid: uid }),
});

/** Who books (decisions, 5): one of phone and email is enough; the other is ''. */
const personFields = {
  firstName: personName(limits.name),
  lastName: personName(limits.name),
  doB: birthDate,
  phone: z.union([z.literal(''), phone]),
  email: z.union([z.literal(''), email]),
};
const hasContact = z.refine<{ phone: string; email: string }>((b) => b.phone !== '' || b.email !== '', {
  error: fieldTexts.contact,
  path: ['email'],
});

export const bookingBody = z
  .object({
    holdUid: uid,
    ...personFields,
    /** The six digits that were sent to the contact, where they are asked for (`confirm-contact`). */
    code: z.optional(z.string().check(z.regex(/^\d{6}$/, fieldTexts.notValid))),
    /** Send another code. */
    sendAgain: z.optional(z.boolean()),
  })
  .check(hasContact);

/** `current` of `confirm-contact`: how the code was sent, and until when the time is kept. Instants ISO. */
export interface ContactConfirmation {
  readonly method: 'email' | 'text';
  readonly expires: string;
  readonly now: string;
}
export type BookingBody = z.infer<typeof bookingBody>;

/**
 * Turns the hold into a visit of a new, unverified patient; a repeat for the same hold answers the same. Nobody leaves
 * more than a few of them with one email or phone (`too-many-bookings`). After a few bookings an hour from one address, and at
 * clinics that ask for it always, the contact has to be confirmed (`confirm-contact`): the repeat carries the `code`.
 */
export const bookVisit = call({
  name: 'bookVisit',
  summary: 'Books the held start.',
  method: 'POST',
  path: '/api/booking/:companyUid/book',
  who: 'anyone',
  params: company,
  body: bookingBody,
  result: z.object({
    appointmentUid: z.string(),
    accessCode: z.string(),
    startDate: z.string(),
    endDate: z.string(),
    doctor: z.object({ firstName: z.string(), lastName: z.string() }),
    /** The calendar entry, text/calendar. */
    calendar: z.string(),
  }),
  refusals: [
    'slot-taken',
    'hold-ended',
    'confirm-contact',
    'wrong-confirmation',
    'card-number',
    'too-many',
    'too-many-bookings',
  ],
});

export const requestBody = z
  .object({
    /** 0 = anyone. */
    doctorId: idOrZero,
    /** When it would suit, in the patient's words. */
    wish: requiredText(limits.bookingWish),
    ...personFields,
  })
  .check(hasContact);
export type RequestBody = z.infer<typeof requestBody>;

/** Where allowReq is on and nothing fits: the clinic sees the wish and answers in person. */
export const requestVisit = call({
  name: 'requestVisit',
  summary: 'Asks the clinic for a time.',
  method: 'POST',
  path: '/api/booking/:companyUid/request',
  who: 'anyone',
  params: company,
  body: requestBody,
  creates: true,
  refusals: ['card-number', 'too-many', 'key-reused'],
});

const request = z.object({
  requestId: z.int(),
  created: z.string(),
  patientId: z.int(),
  patient: z.object({ firstName: z.string(), lastName: z.string() }),
  doctor: z.nullable(z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() })),
  wish: z.string(),
  phone: z.string(),
  email: z.string(),
});
export type BookingRequest = z.infer<typeof request>;

/** The open requests, oldest first, at most 200. */
export const listBookingRequests = call({
  name: 'listBookingRequests',
  summary: 'Patients who asked for a time.',
  method: 'GET',
  path: '/api/booking-requests',
  who: staff,
  result: z.object({ data: z.array(request) }),
});

/** Answered, or not to be answered: it leaves the list. A repeat is harmless. */
export const closeBookingRequest = call({
  name: 'closeBookingRequest',
  summary: 'Takes a request off the list.',
  method: 'POST',
  path: '/api/booking-requests/:requestId/close',
  who: staff,
  params: z.object({ requestId: id }),
});
