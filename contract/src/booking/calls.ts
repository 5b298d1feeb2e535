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
/** A bookable start; an ISO instant. */
const start = z.object({ startDate: z.string(), doctorId: z.int() });
export type BookableStart = z.infer<typeof start>;

/** The data of the page /patient/book/{companyUid}; 404 when the clinic does not accept bookings by link. */
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
    /** The first and last company day that can be booked, inclusive. */
    firstDay: z.string(),
    lastDay: z.string(),
    /** Whether the patient may request a time when none fits. */
    allowReq: z.boolean(),
    now: z.string(),
  }),
});

/** The free starts of the company days `from` to `to`. doctorId 0 = any provider: each start once, with the provider who would be booked. */
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

/** A random id of the browser: it may hold one start, and repeats a booking whose response was lost. */
const holder = z.string().check(z.regex(/^[0-9a-f]{32}$/));

/**
 * Holds a start for 5 minutes; replaces the browser's earlier hold. With `slot-taken`, `current` is {free}: the next free starts.
 * The limits are three holds at a time and twenty per minute for one address (`too-many`).
 */
export const holdSlot = call({
  name: 'holdSlot',
  summary: 'Holds a start during booking.',
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
  summary: 'Releases a held start.',
  method: 'DELETE',
  path: '/api/booking/:companyUid/hold/:holdUid',
  who: 'anyone',
  params: z.object({ companyUid: uid, holdUid: uid }),
});

/** The person who books. One of phone and email is required; the other may be ''. */
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
    /** The six-digit code that was sent to the contact; required after `confirm-contact`. */
    code: z.optional(z.string().check(z.regex(/^\d{6}$/, fieldTexts.notValid))),
    /** Sends another code. */
    sendAgain: z.optional(z.boolean()),
  })
  .check(hasContact);

/** `current` of `confirm-contact`: how the code was sent, and until when the start is held. Instants are ISO 8601. */
export interface ContactConfirmation {
  readonly method: 'email' | 'text';
  readonly expires: string;
  readonly now: string;
}
export type BookingBody = z.infer<typeof bookingBody>;

/**
 * Books the held start for a new, unverified patient; a repeat for the same hold returns the same result. The number of
 * unverified bookings with one email or phone is limited (`too-many-bookings`). After three bookings in an hour from one
 * address, and always if the company requires it, the contact must be confirmed (`confirm-contact`): the repeat has the `code`.
 * A hold has three codes (`too-many-codes`).
 */
export const bookSlot = call({
  name: 'bookSlot',
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
    'too-many-codes',
    'too-many-bookings',
  ],
});

export const requestBody = z
  .object({
    /** 0 = any provider. */
    doctorId: idOrZero,
    /** The preferred time, in the patient's words. */
    wish: requiredText(limits.bookingWish),
    ...personFields,
  })
  .check(hasContact);
export type RequestBody = z.infer<typeof requestBody>;

/** For companies with allowReq: the clinic sees the request and replies personally. */
export const requestAppointment = call({
  name: 'requestAppointment',
  summary: 'Requests a time from the clinic.',
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
  summary: 'Requests of patients for a time.',
  method: 'GET',
  path: '/api/booking-requests',
  who: staff,
  result: z.object({ data: z.array(request) }),
});

/** Removes the request from the list. Idempotent. */
export const closeBookingRequest = call({
  name: 'closeBookingRequest',
  summary: 'Closes a request.',
  method: 'POST',
  path: '/api/booking-requests/:requestId/close',
  who: staff,
  params: z.object({ requestId: id }),
});
