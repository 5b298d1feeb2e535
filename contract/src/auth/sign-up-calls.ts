import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { email, password, personName, phone, requiredText, text } from '../shape.ts';
import { fieldTexts } from '../texts.ts';
import { isTimeZone } from '../time.ts';
import { signedIn } from './calls.ts';

/** ACCOUNT-1, VALID-26: names that someone without an account types must not hold addresses, since they are used in mails. */
const newAccount = z.object({
  companyName: personName(limits.name),
  timeZone: z.string().check(z.refine(isTimeZone, { error: fieldTexts.notValid })),
  firstName: personName(limits.name),
  lastName: personName(limits.name),
  email,
  /** Ten digits, or '' for none. */
  phone: z.union([phone, z.literal('')]),
  password,
});

/**
 * CALL-24. Nothing is created before the link of the mail is opened (`confirmSignUp`). The response and its timing are the same for known
 * and unknown emails.
 */
export const signUp = call({
  name: 'signUp',
  summary: 'Requests a new company with its first administrator; sends a link that confirms the email.',
  method: 'POST',
  path: '/api/auth/sign-up',
  who: 'anyone',
  body: z.object({ user: newAccount }),
  refusals: ['not-allowed', 'common-password', 'too-many'],
});

/** The link of a sign-up (24 hours, single use), with the password that was picked: the reader of the mail has asked for it. */
export const confirmSignUp = call({
  name: 'confirmSignUp',
  summary: 'Creates the company and its first administrator, and signs in.',
  method: 'POST',
  path: '/api/auth/confirm-sign-up',
  who: 'anyone',
  body: z.object({ token: text(200), password: requiredText(limits.passwordMax) }),
  result: signedIn,
  refusals: ['link-used', 'wrong-password', 'too-many'],
});
