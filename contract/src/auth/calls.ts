import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { everyone } from '../permissions.ts';
import { loginEmail, password, text } from '../shape.ts';
import { fieldTexts } from '../texts.ts';

/** The two sign-ins that live side by side in one browser (decisions, 2). */
export const signInKinds = ['staff', 'patient'] as const;
export type SignInKind = (typeof signInKinds)[number];
const kind = z.enum(signInKinds);

/** What an access token says (ENTITY-4); a JWT of 10 minutes. `appointment` only in a patient's. Times in seconds. */
export interface TokenClaims {
  sub: string;
  company?: number;
  roles: 'A' | 'D' | 'U' | 'P';
  given_name: string;
  family_name: string;
  /** The device serial: one sign-in's, unique among the person's live ones. */
  sn: string;
  /** The appointment's uid that a patient's code belongs to. */
  appointment?: string;
  exp: number;
}

const signedIn = z.object({ signedIn: z.literal(true), accessToken: z.string() });
/** LOGIN data: the access token; the refresh token travels in an HttpOnly cookie only. */
export type SignedIn = z.infer<typeof signedIn>;

/** VALID-1: an access code as typed. */
export const accessCode = z
  .string()
  .check(z.regex(/\S/, fieldTexts.required), z.maxLength(limits.accessCode, fieldTexts.atMost(limits.accessCode)));

/** CALL-22, ENTITY-20: what the page of a host name offers. */
export const getBrand = call({
  name: 'getBrand',
  summary: 'The brand of a host name: whether sign-up is closed and which providers sign people in.',
  method: 'GET',
  path: '/api/brand',
  who: 'anyone',
  query: z.object({ host: text(253) }),
  result: z.object({
    strictMode: z.boolean(),
    providers: z.array(
      z.object({ providerName: z.string(), providerClass: z.string(), description: z.string(), logoUrl: z.string() }),
    ),
  }),
});

/** CALL-23, ENTITY-21: `user.email` carries the access code when `isPatient`. */
export const login = call({
  name: 'login',
  summary: 'Signs in with email and password, or a patient with an access code.',
  method: 'POST',
  path: '/api/auth/login',
  who: 'anyone',
  body: z.object({
    isPatient: z.boolean(),
    user: z.object({
      email: text(limits.email),
      password: z.optional(z.string().check(z.maxLength(limits.passwordMax))),
      remember: z.optional(z.boolean()),
    }),
  }),
  result: signedIn,
  refusals: ['wrong-credentials', 'wrong-code', 'company-disabled', 'too-many'],
});

/** LOGIN-3, CALL-23 as narrowed: a one-time sign-in token instead of a refresh token. */
export const oneTimeLogin = call({
  name: 'oneTimeLogin',
  summary: 'Signs in with a one-time token of a link; 15 minutes, single use.',
  method: 'POST',
  path: '/api/auth/one-time',
  who: 'anyone',
  body: z.object({ token: text(200) }),
  result: signedIn,
  refusals: ['link-used', 'company-disabled', 'too-many'],
});

/**
 * The session probe and the renewal in one: rotates the refresh token of the cookie. `active` says whether the person
 * did something since the last renewal (or is in a visit), so that polling alone does not keep a session alive.
 */
export const refresh = call({
  name: 'refresh',
  summary: 'Renews the access token of one kind of sign-in from its cookie.',
  method: 'POST',
  path: '/api/auth/refresh',
  who: 'anyone',
  body: z.object({ kind, active: z.boolean() }),
  result: z.discriminatedUnion('signedIn', [signedIn, z.object({ signedIn: z.literal(false) })]),
});

export const logout = call({
  name: 'logout',
  summary: 'Ends one kind of sign-in of this browser, or all of the person’s everywhere.',
  method: 'POST',
  path: '/api/auth/logout',
  who: 'anyone',
  body: z.object({ kind, everywhere: z.optional(z.boolean()) }),
});

/** CALL-24: answers the same, in the same time, for known and unknown emails. */
export const requestPasswordReset = call({
  name: 'requestPasswordReset',
  summary: 'Sends a link to pick a new password, if the email belongs to a user.',
  method: 'POST',
  path: '/api/auth/request-reset',
  who: 'anyone',
  body: z.object({ email: loginEmail }),
  refusals: ['too-many'],
});

/** CALL-24: `refreshToken` carries the uid of the link (1 hour, single use). Ends every other sign-in. */
export const passwordReset = call({
  name: 'passwordReset',
  summary: 'Sets a new password by the link of a mail and signs in.',
  method: 'POST',
  path: '/api/auth/reset',
  who: 'anyone',
  body: z.object({ user: z.object({ refreshToken: text(200), password }) }),
  result: signedIn,
  refusals: ['link-used', 'common-password', 'company-disabled', 'too-many'],
});

/** The signed-in person as the server sees it now, read from the database. */
export const getSession = call({
  name: 'getSession',
  summary: 'Who is signed in, with what the shell needs of the company.',
  method: 'GET',
  path: '/api/session',
  who: everyone,
  result: z.object({
    role: z.enum(['A', 'D', 'U', 'P', 'Super']),
    userId: z.nullable(z.int()),
    patientId: z.nullable(z.int()),
    firstName: z.string(),
    lastName: z.string(),
    /** null for a Super. */
    company: z.nullable(
      z.object({
        companyId: z.int(),
        companyName: z.string(),
        timeZone: z.string(),
        currency: z.string(),
        supportEmail: z.string(),
      }),
    ),
    /** Staff are signed out after this long without input; minutes. */
    idleMinutes: z.int(),
  }),
});
