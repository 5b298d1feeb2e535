import * as z from 'zod/mini';
import { call } from '../call.ts';
import { text } from '../shape.ts';
import { signedIn } from './calls.ts';
import { passkeyAssertion, passkeyOptions } from './passkeys.ts';

/** With the ticket of a first step: for a passkey of its user. Without one: for any passkey of the device. */
export const startPasskeySignIn = call({
  name: 'startPasskeySignIn',
  summary: 'Returns a challenge for a passkey; valid for 5 minutes, once.',
  method: 'POST',
  path: '/api/auth/passkey/options',
  who: 'anyone',
  body: z.object({ ticket: z.optional(text(200)) }),
  result: z.object({ options: passkeyOptions }),
  refusals: ['sign-in-expired', 'too-many'],
});

/** A passkey is two factors: the device, and what the device asks for. */
export const passkeySignIn = call({
  name: 'passkeySignIn',
  summary: 'Signs a user in by a passkey alone.',
  method: 'POST',
  path: '/api/auth/passkey',
  who: 'anyone',
  body: z.object({ response: passkeyAssertion, remember: z.boolean() }),
  result: signedIn,
  refusals: ['wrong-passkey', 'company-disabled', 'too-many'],
});

export const completeSignInWithPasskey = call({
  name: 'completeSignInWithPasskey',
  summary: 'Completes a sign-in with a passkey.',
  method: 'POST',
  path: '/api/auth/second-step/passkey',
  who: 'anyone',
  body: z.object({ ticket: text(200), response: passkeyAssertion, trustDevice: z.boolean() }),
  result: signedIn,
  refusals: ['wrong-second-factor', 'sign-in-expired', 'company-disabled', 'too-many'],
});
