import * as z from 'zod/mini';
import { passkeyAssertion, passkeyOptions, passkeyRegistration } from '../auth/passkeys.ts';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { id, requiredLine, text } from '../shape.ts';

/** Users of a company and of the installation; patients have no account. */
const users = ['A', 'D', 'U', 'Super'] as const;

/** A device that is signed in. `browser`, `system` and `network` are '' when unknown. Times are ISO. */
const device = z.object({
  signInId: z.int(),
  /** A product's name, e.g. 'Chrome'. */
  browser: z.string(),
  /** A product's name, e.g. 'Windows'. */
  system: z.string(),
  /** The first half of the network address, e.g. '203.0.x.x'. */
  network: z.string(),
  signedInAt: z.string(),
  lastUsedAt: z.string(),
  isThis: z.boolean(),
});
export type SignedInDevice = z.infer<typeof device>;

export const listSignIns = call({
  name: 'listSignIns',
  summary: 'The devices on which the caller is signed in: this one first, then by last use.',
  method: 'GET',
  path: '/api/account/sign-ins',
  who: users,
  unlicensed: 'yes',
  result: z.object({ data: z.array(device) }),
});

/** Takes effect within a second, on requests and on connections. */
export const endOwnSignIn = call({
  name: 'endOwnSignIn',
  summary: 'Signs the caller out on one device.',
  method: 'DELETE',
  path: '/api/account/sign-ins/:signInId',
  who: users,
  unlicensed: 'yes',
  params: z.object({ signInId: id }),
});

/** The caller's second factor. Times are ISO. */
const secondFactor = z.object({
  /** When the authenticator app was added; null = none. */
  authenticatorSince: z.nullable(z.string()),
  recoveryCodesLeft: z.int(),
  /** False for a user who has not picked one, or signs in by another provider. */
  hasPassword: z.boolean(),
  passkeys: z.array(
    z.object({ passkeyId: z.int(), name: z.string(), createdAt: z.string(), usedAt: z.nullable(z.string()) }),
  ),
});
export type SecondFactor = z.infer<typeof secondFactor>;

export const getSecondFactor = call({
  name: 'getSecondFactor',
  summary: 'The caller’s passkeys, authenticator app, and how many recovery codes are left.',
  method: 'GET',
  path: '/api/account/second-factor',
  who: users,
  unlicensed: 'yes',
  withoutFactor: true,
  result: secondFactor,
});

/** Permits the calls below on this sign-in for five minutes. They refuse with `confirm-identity` otherwise. */
export const confirmIdentity = call({
  name: 'confirmIdentity',
  summary: 'Proves by the password that the caller is present, before a call that refuses with `confirm-identity`.',
  method: 'POST',
  path: '/api/account/confirm',
  who: users,
  unlicensed: 'yes',
  withoutFactor: true,
  body: z.object({ currentPassword: z.string().check(z.maxLength(limits.passwordMax)) }),
  refusals: ['wrong-password', 'too-many'],
});

/** The challenge for {@link confirmWithPasskey}. */
export const startConfirmation = call({
  name: 'startConfirmation',
  summary: 'Returns a challenge for one of the caller’s passkeys; valid for 5 minutes, once.',
  method: 'POST',
  path: '/api/account/confirm/passkey/options',
  who: users,
  unlicensed: 'yes',
  result: z.object({ options: passkeyOptions }),
  refusals: ['no-second-factor', 'too-many'],
});

/** As {@link confirmIdentity}. */
export const confirmWithPasskey = call({
  name: 'confirmWithPasskey',
  summary: 'Proves by a passkey that the caller is present, before a call that refuses with `confirm-identity`.',
  method: 'POST',
  path: '/api/account/confirm/passkey',
  who: users,
  unlicensed: 'yes',
  body: z.object({ response: passkeyAssertion }),
  refusals: ['wrong-passkey'],
});

/** The app counts after {@link confirmAuthenticator}. An app that was added before works until then. */
export const startAuthenticator = call({
  name: 'startAuthenticator',
  summary: 'Returns a new secret for an authenticator app.',
  method: 'POST',
  path: '/api/account/authenticator',
  who: users,
  unlicensed: 'yes',
  withoutFactor: true,
  /** `uri` is the content of the QR code; `secret` the same in base32, to be typed. */
  result: z.object({ secret: z.string(), uri: z.string() }),
  refusals: ['confirm-identity'],
});

export const confirmAuthenticator = call({
  name: 'confirmAuthenticator',
  summary: 'Adds the authenticator app by its first code.',
  method: 'POST',
  path: '/api/account/authenticator/confirm',
  who: users,
  unlicensed: 'yes',
  withoutFactor: true,
  body: z.object({ code: text(limits.secondFactorCode) }),
  refusals: ['confirm-identity', 'wrong-authenticator-code', 'too-many'],
});

export const removeAuthenticator = call({
  name: 'removeAuthenticator',
  summary: 'Removes the authenticator app.',
  method: 'DELETE',
  path: '/api/account/authenticator',
  who: users,
  unlicensed: 'yes',
  refusals: ['confirm-identity', 'last-factor'],
});

/** The previous codes end. The codes cannot be read again. */
export const createRecoveryCodes = call({
  name: 'createRecoveryCodes',
  summary: 'Returns ten new recovery codes, each good for one sign-in without the second factor.',
  method: 'POST',
  path: '/api/account/recovery-codes',
  who: users,
  unlicensed: 'yes',
  withoutFactor: true,
  result: z.object({ codes: z.array(z.string()) }),
  refusals: ['confirm-identity', 'no-second-factor'],
});

export const startPasskey = call({
  name: 'startPasskey',
  summary: 'Returns a challenge for a new passkey; valid for 5 minutes, once.',
  method: 'POST',
  path: '/api/account/passkeys/options',
  who: users,
  unlicensed: 'yes',
  withoutFactor: true,
  result: z.object({ options: passkeyOptions }),
  refusals: ['confirm-identity'],
});

const passkeyName = requiredLine(limits.name);

export const addPasskey = call({
  name: 'addPasskey',
  summary: 'Adds the passkey that the browser has created.',
  method: 'POST',
  path: '/api/account/passkeys',
  who: users,
  unlicensed: 'yes',
  withoutFactor: true,
  body: z.object({ name: passkeyName, response: passkeyRegistration }),
  result: z.object({ passkeyId: z.int() }),
  refusals: ['confirm-identity', 'wrong-passkey'],
});

export const renamePasskey = call({
  name: 'renamePasskey',
  summary: 'Renames a passkey.',
  method: 'PUT',
  path: '/api/account/passkeys/:passkeyId',
  who: users,
  unlicensed: 'yes',
  params: z.object({ passkeyId: id }),
  body: z.object({ name: passkeyName }),
  refusals: ['confirm-identity'],
});

export const removePasskey = call({
  name: 'removePasskey',
  summary: 'Removes a passkey.',
  method: 'DELETE',
  path: '/api/account/passkeys/:passkeyId',
  who: users,
  unlicensed: 'yes',
  params: z.object({ passkeyId: id }),
  refusals: ['confirm-identity', 'last-factor'],
});
