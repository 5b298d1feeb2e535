import { maxUnverifiedVisits } from './limits.ts';

/**
 * Every expected refusal: its HTTP status and the words that the screen shows. The server throws them by code
 * (RFC 9457 problem details carry `code`), the web looks the words up; nothing else decides on texts.
 */
export const refusals = {
  malformed: { status: 400, text: 'The request could not be read.' },
  'not-signed-in': { status: 401, text: 'Please sign in.' },
  'sign-in-ended': { status: 401, text: 'You have been signed out. Please sign in again.' },
  'wrong-credentials': { status: 401, text: 'The email or the password is not right. Please try again.' },
  'wrong-code': { status: 401, text: 'This access code is not valid. Check it, or ask the clinic for a new link.' },
  'link-used': { status: 401, text: 'This link has been used or has expired. Please request a new one.' },
  'not-allowed': { status: 403, text: 'You are not allowed to do this.' },
  'company-disabled': { status: 403, text: 'This clinic’s account is disabled. Please contact support.' },
  'not-found': { status: 404, text: 'This does not exist, or is no longer there.' },
  stale: { status: 409, text: 'Somebody else has changed this in the meantime.' },
  'slot-taken': { status: 409, text: 'The provider already has an appointment at this time.' },
  'hold-ended': { status: 409, text: 'The time was kept for five minutes, which have passed. Please pick it again.' },
  'confirm-contact': { status: 409, text: 'Please enter the code that we sent you.' },
  'has-started': { status: 409, text: 'This visit has already begun or is over. It cannot be moved.' },
  'visit-over': { status: 409, text: 'This appointment is over. Please make a new one.' },
  'has-activity': { status: 409, text: 'This appointment has payments, a visit, notes or files. Cancel it instead.' },
  'patient-notified': {
    status: 409,
    text: 'The patient already knows of this appointment. Cancel it, and make a new one for somebody else.',
  },
  'patient-archived': {
    status: 409,
    text: 'This patient has been deleted. Pick another one, or keep the appointment as it is.',
  },
  'has-visits': { status: 409, text: 'This patient still has upcoming appointments. Cancel them first.' },
  'already-known': { status: 409, text: 'This patient is already known to the clinic.' },
  'patient-present': { status: 409, text: 'This patient is in a visit right now. Please try again afterwards.' },
  'key-reused': {
    status: 409,
    text: 'Your first try did arrive, though its answer was lost. Look for what it made before you save again.',
  },
  'too-large': { status: 413, text: 'This is too large.' },
  'wrong-media': { status: 415, text: 'This kind of content is not accepted here.' },
  'wrong-host': { status: 421, text: 'This demo answers on this computer only.' },
  invalid: { status: 422, text: 'Please check the marked fields.' },
  'collected-above-fee': { status: 422, text: 'Collected cannot be more than the fee.' },
  'email-taken': { status: 422, text: 'This email is already in use.' },
  'wrong-confirmation': { status: 422, text: 'This code is not right. Please check it.' },
  'wrong-password': { status: 422, text: 'The current password is not right.' },
  'common-password': { status: 422, text: 'This password is too common. Please pick another one.' },
  'no-contact': { status: 422, text: 'Please provide at least one phone or an email.' },
  'appointment-cancelled': { status: 422, text: 'This appointment is already cancelled.' },
  'too-late': { status: 422, text: 'It is too late to change this visit online. Please call the clinic.' },
  'too-many-bookings': {
    status: 422,
    text: `There are already ${maxUnverifiedVisits} upcoming visits booked with this email or phone. Please call the clinic to book another one.`,
  },
  'card-number': { status: 422, text: 'Please do not enter card numbers here.' },
  'too-many': { status: 429, text: 'Too many attempts. Please wait a moment and try again.' },
  'server-error': { status: 500, text: 'Something went wrong on our side. Please try again.' },
  unavailable: { status: 503, text: 'The service is not available right now. Please try again in a moment.' },
} as const satisfies Record<string, { status: number; text: string }>;

export type RefusalCode = keyof typeof refusals;

/** The body of every error answer: RFC 9457 with the product's stable `code` and texts by field path. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: RefusalCode;
  detail?: string;
  /** Texts by path, e.g. { 'patientPhones.0.phone': 'Required' }. */
  fields?: Record<string, string>;
  /** Seconds to wait, with 429 and 503. */
  retryAfter?: number;
  /** With `stale`: what is stored now; with `slot-taken`: the conflicting appointment. */
  current?: unknown;
}
