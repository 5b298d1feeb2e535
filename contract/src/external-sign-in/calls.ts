import * as z from 'zod/mini';
import { secondStep } from '../auth/calls.ts';
import { call } from '../call.ts';
import { limits } from '../limits.ts';

/** Why an external sign-in has failed: in the address of the sign-in page, `/login?failed=…`. */
export const externalFailures = [
  'cancelled',
  'provider-error',
  'provider-unreachable',
  'unverified-email',
  'unknown-user',
  'other-account',
  'user-disabled',
  'company-disabled',
  'expired',
  'too-many',
] as const;
export type ExternalFailure = (typeof externalFailures)[number];

/** In the address of the sign-in page when the user's second factor is asked for: `/login?step=second`. */
export const secondStepQuery = { name: 'step', value: 'second' } as const;
export const failedQuery = 'failed';

/** LOGIN-2, CALL-23: the browser opens this address. The provider's page follows; a failure leads back to the sign-in page. */
export const startExternalSignIn = call({
  name: 'startExternalSignIn',
  summary: 'Opens the sign-in page of an external provider of the page’s brand.',
  method: 'GET',
  path: '/api/auth/external/:providerName',
  who: 'anyone',
  params: z.object({ providerName: z.string().check(z.maxLength(limits.name)) }),
  format: 'redirect',
});

/** A value of the provider; a wrong one leads to a failed sign-in, not to a refusal that a person would read as JSON. */
const answer = z.optional(z.string().check(z.maxLength(4096)));

/** Where the provider sends the browser back to (RFC 6749, 4.1.2; RFC 9207). Leads to the application. */
export const finishExternalSignIn = call({
  name: 'finishExternalSignIn',
  summary: 'Receives the answer of an external provider and signs the user in.',
  method: 'GET',
  path: '/api/auth/external-callback',
  who: 'anyone',
  query: z.object({ state: answer, code: answer, iss: answer, error: answer }),
  format: 'redirect',
});

/** The ticket is in a cookie that scripts cannot read, until the page asks for it: it is in no address. */
export const continueExternalSignIn = call({
  name: 'continueExternalSignIn',
  summary: 'The second step of an external sign-in, for a user with a second factor.',
  method: 'POST',
  path: '/api/auth/external-step',
  who: 'anyone',
  result: secondStep,
  refusals: ['sign-in-expired'],
});
