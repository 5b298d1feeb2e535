import { maxUnverifiedAppointments, trialMessagesPerDay } from './limits.ts';
import { pageRefusals } from './page-refusals.ts';

/**
 * Every expected refusal: its HTTP status and the words that the screen shows. The server throws them by code
 * and sends both (RFC 9457 problem details with `code`, the words in `title`); nothing else decides on texts.
 */
export const refusals = {
  ...pageRefusals,
  'wrong-credentials': { status: 401, text: 'Wrong email or password. Please try again.' },
  'wrong-code': { status: 401, text: 'This access code isn’t valid. Check it, or ask your clinic for a new link.' },
  'link-used': { status: 401, text: 'This link has already been used or has expired. Please request a new one.' },
  'invitation-over': {
    status: 401,
    text: 'This invitation is no longer valid. The visit may be over. If you still need to join, ask the clinic for a new link.',
  },
  'wrong-second-factor': {
    status: 401,
    text: 'This code isn’t right or was used before. Please check it and try again.',
  },
  'wrong-passkey': { status: 401, text: 'This passkey didn’t work. Please try again, or sign in another way.' },
  'sign-in-expired': {
    status: 401,
    text: 'This took too long, or there were too many attempts. Please sign in again.',
  },
  'card-declined': { status: 402, text: 'Your card was declined. Please use another card, or call your bank.' },
  'card-insufficient-funds': {
    status: 402,
    text: 'There isn’t enough money available on this card. Please use another card.',
  },
  'card-expired': { status: 402, text: 'This card has expired. Please use another card.' },
  'card-code-wrong': { status: 402, text: 'The security code doesn’t match. Please check it and try again.' },
  'card-not-confirmed': {
    status: 402,
    text: 'Your bank couldn’t confirm that it’s you. You have not been charged. Please try again, or use another card.',
  },
  'card-error': {
    status: 402,
    text: 'The card couldn’t be charged. You have not paid anything. Please try again in a moment, or use another card.',
  },
  'not-allowed': { status: 403, text: 'You don’t have permission to do this.' },
  'confirm-identity': { status: 403, text: 'Please confirm that it’s you first.' },
  'second-factor-required': {
    status: 403,
    text: 'Your clinic requires two-step sign-in. Please set it up first.',
  },
  'company-disabled': { status: 403, text: 'This clinic’s account is disabled. Please contact support.' },
  'license-expired': {
    status: 403,
    text: 'Your company’s license has expired. Running visits go on; everything else starts again with a new license.',
  },
  'too-slow': { status: 408, text: 'The upload has stopped. Please check your connection and try again.' },
  stale: { status: 409, text: 'Someone else has changed this in the meantime.' },
  'payments-off': { status: 409, text: 'This clinic can’t take card payments right now. Please call the clinic.' },
  'payment-open': { status: 409, text: 'A payment is being made right now. Please try again in a minute.' },
  'payments-unsettled': {
    status: 409,
    text: 'A payment or refund with the present account is not finished yet. Please change the account in a few minutes.',
  },
  'amount-changed': { status: 409, text: 'The amount has changed. Please check it before you pay.' },
  'license-payments-off': {
    status: 409,
    text: 'Licenses can’t be paid by card right now. Please contact support.',
  },
  'license-changed': {
    status: 409,
    text: 'The license has been renewed in the meantime. Please check it before you pay.',
  },
  'last-card': { status: 409, text: 'This is the only card. Add another one before you delete it.' },
  'nothing-to-refund': { status: 409, text: 'Nothing was paid by card that can be refunded.' },
  'refund-open': {
    status: 409,
    text: 'The payment processor has not answered yet. The refund goes on by itself; you don’t need to repeat it.',
  },
  'slot-taken': { status: 409, text: 'The provider already has an appointment at this time.' },
  'hold-ended': { status: 409, text: 'We held this time for five minutes, which have passed. Please pick it again.' },
  'confirm-contact': { status: 409, text: 'Please enter the code we sent you.' },
  'has-started': { status: 409, text: 'This visit has already started or is over. It can’t be moved.' },
  'not-waiting': { status: 409, text: 'This patient is not waiting anymore.' },
  'visit-over': { status: 409, text: 'This appointment is over. Please create a new one.' },
  'has-activity': {
    status: 409,
    text: 'This appointment has payments, a visit, notes, files, or recordings. Cancel it instead.',
  },
  'recording-off': { status: 409, text: 'Recording is turned off for this clinic.' },
  'not-in-room': { status: 409, text: 'You’re not in this visit. Please open it again.' },
  'already-recording': { status: 409, text: 'This visit is already being recorded.' },
  'patient-notified': {
    status: 409,
    text: 'The patient already knows about this appointment. Cancel it, then create a new one for the other patient.',
  },
  'patient-archived': {
    status: 409,
    text: 'This patient has been deleted. Pick another patient, or leave the appointment as it is.',
  },
  'has-appointments': { status: 409, text: 'This patient still has upcoming appointments. Cancel them first.' },
  'user-has-records': {
    status: 409,
    text: 'This user has appointments, or has seen or changed data, which stays with their name. Disable the user instead.',
  },
  'company-has-records': {
    status: 409,
    text: 'This company has patients or other records. Disable it instead.',
  },
  'last-administrator': {
    status: 409,
    text: 'This is the last administrator who can sign in. Make someone else an administrator first.',
  },
  'own-record': { status: 409, text: 'Change your own email, phone and password in My Account.' },
  'no-second-factor': { status: 409, text: 'Add a passkey or an authenticator app first.' },
  'last-factor': {
    status: 409,
    text: 'Your clinic requires two-step sign-in. Add another passkey or authenticator app before you remove this one.',
  },
  'already-known': { status: 409, text: 'This patient has already been confirmed.' },
  'patient-present': { status: 409, text: 'This patient is in a visit right now. Please try again after the visit.' },
  'not-together': { status: 409, text: 'A picture can be taken while you’re both in the room.' },
  'too-many-photos': { status: 409, text: 'There are too many pictures of this visit.' },
  'too-many-guests': { status: 409, text: 'There are already 10 invitations to this visit. Remove one first.' },
  'key-reused': {
    status: 409,
    text: 'Your first attempt may have been saved. Check for it before saving again.',
  },
  'import-running': {
    status: 409,
    text: 'Another import is running in your clinic. You can start this one when it’s done.',
  },
  'check-first': { status: 409, text: 'The columns were changed. Please check the file again before you import it.' },
  'too-large': { status: 413, text: 'This is too large. Please shorten it and try again.' },
  'wrong-media': { status: 415, text: 'This type of content is not supported.' },
  'not-csv': {
    status: 415,
    text: 'This isn’t a CSV file. Open it in your spreadsheet program, save it as “CSV UTF-8”, and upload that file.',
  },
  'first-row': {
    status: 422,
    text: 'The first row of this file can’t be read. Please correct it and upload the file again.',
  },
  'wrong-host': { status: 421, text: 'This demo works on this computer only.' },
  'wrong-processor-keys': {
    status: 422,
    text: 'The payment processor does not accept these keys. Please copy both from your account there.',
  },
  'processor-silent': {
    status: 422,
    text: 'The payment processor doesn’t answer, so the keys could not be checked. Please try again in a moment.',
  },
  'refund-failed': {
    status: 422,
    text: 'The payment processor did not accept the refund. Nothing has changed. Please check your account there.',
  },
  'refund-elsewhere': {
    status: 422,
    text: 'This was paid to a payment account that you no longer use here. Refund it there, then update “Collected”.',
  },
  'not-consented': { status: 422, text: 'This person has not allowed the recording.' },
  'cut-off': { status: 422, text: 'This arrived incomplete. Please send it again.' },
  invalid: { status: 422, text: 'Please fix the fields below.' },
  'collected-above-fee': { status: 422, text: 'Collected cannot be more than the fee.' },
  'promo-not-valid': { status: 422, text: 'This promo code isn’t valid.' },
  'promo-taken': { status: 422, text: 'There is already a promo code with this name.' },
  'host-taken': { status: 422, text: 'Another brand has this host name.' },
  'email-taken': { status: 422, text: 'This email is already in use.' },
  'wrong-confirmation': { status: 422, text: 'This code isn’t right. Please check it and try again.' },
  'wrong-password': { status: 422, text: 'The current password isn’t right.' },
  'wrong-authenticator-code': {
    status: 422,
    text: 'This code isn’t right. Check that your phone’s time is set automatically, and try the next code.',
  },
  'common-password': { status: 422, text: 'This password is too common. Please choose another one.' },
  'provider-limit': {
    status: 422,
    text: 'All provider licenses are in use. Disable another provider, or add licenses.',
  },
  'providers-in-use': {
    status: 422,
    text: 'More providers than this are enabled. Enter at least as many, or disable some of them first.',
  },
  'no-contact': { status: 422, text: 'Please provide at least one phone or an email.' },
  'appointment-cancelled': { status: 422, text: 'This appointment is already cancelled.' },
  'too-late': { status: 422, text: 'It’s too late to change this visit online. Please call the clinic.' },
  'too-many-moves': {
    status: 422,
    text: 'You’ve moved this visit several times today. Please call the clinic to move it again.',
  },
  'trial-messages': {
    status: 422,
    text: `New clinics can send ${trialMessagesPerDay} messages a day. Please try again tomorrow, or contact support.`,
  },
  'too-many-codes': {
    status: 422,
    text: 'We’ve already sent several codes for this time. Enter the latest one, or wait ten minutes and book again.',
  },
  'too-many-bookings': {
    status: 422,
    text: `There are already ${maxUnverifiedAppointments} visits booked with this email or phone. Please call the clinic to book another one.`,
  },
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
