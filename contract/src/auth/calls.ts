import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { everyone, type Role } from '../permissions.ts';
import { loginEmail, password, text } from '../shape.ts';
import { fieldTexts } from '../texts.ts';

/** One browser can hold a sign-in of each kind at the same time (docs/decisions/026). A guest's is for one visit. */
export const signInKinds = ['staff', 'patient', 'guest'] as const;
export type SignInKind = (typeof signInKinds)[number];
const kind = z.enum(signInKinds);

/** The claims of an access token (ENTITY-4): a JWT that expires after 10 minutes. Times are in seconds. */
export interface TokenClaims {
  sub: string;
  company?: number;
  roles: Role;
  given_name: string;
  family_name: string;
  /** The device serial: belongs to one sign-in, unique among the person's active sign-ins. */
  sn: string;
  /** Only for patients and guests: the uid of the appointment that the access code or the link belongs to. */
  appointment?: string;
  exp: number;
}

export const signedIn = z.object({ signedIn: z.literal(true), accessToken: z.string() });
/** The access token of a sign-in. The refresh token is only in an HttpOnly cookie. */
export type SignedIn = z.infer<typeof signedIn>;

/** The ways to complete a sign-in after the password. */
export const secondStepMethods = ['passkey', 'authenticator', 'recovery'] as const;
export type SecondStepMethod = (typeof secondStepMethods)[number];

export const secondStep = z.object({
  signedIn: z.literal(false),
  /** Completes the sign-in together with the second factor, within 5 minutes, once. It gives no access itself. */
  ticket: z.string(),
  /** In the order to offer them. */
  methods: z.array(z.enum(secondStepMethods)),
});
/** The password, or the link, was right, and the user has a second factor: see {@link completeSignIn}. */
export type SecondStep = z.infer<typeof secondStep>;
const signedInOrNot = z.discriminatedUnion('signedIn', [signedIn, secondStep]);

/** VALID-1: an access code as entered. */
export const accessCode = z
  .string()
  .check(z.regex(/\S/, fieldTexts.required), z.maxLength(limits.accessCode, fieldTexts.maxLength(limits.accessCode)));

/** CALL-22, ENTITY-20: the sign-in options of a host name. */
export const getBrand = call({
  name: 'getBrand',
  summary: 'The brand of a host name: its look, whether sign-up is closed and which providers sign people in.',
  method: 'GET',
  path: '/api/brand',
  who: 'anyone',
  query: z.object({ host: text(253) }),
  result: z.object({
    /** '' for a host without a brand. */
    brandName: z.string(),
    /** '#rrggbb'; '' = the usual one. */
    color: z.string(),
    /** '' = none. */
    logoUrl: z.string(),
    strictMode: z.boolean(),
    providers: z.array(
      z.object({ providerName: z.string(), providerClass: z.string(), description: z.string(), logoUrl: z.string() }),
    ),
    /** The only origin on whose pages passkeys work, e.g. 'https://visits.example.com'. */
    passkeyOrigin: z.string(),
  }),
});

/** CALL-23, ENTITY-21: `user.email` is the access code when `isPatient`. Patients have no second factor. */
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
  result: signedInOrNot,
  refusals: ['wrong-credentials', 'wrong-code', 'company-disabled', 'too-many'],
});

/** LOGIN-3, CALL-23: takes a one-time sign-in token instead of a refresh token. */
export const oneTimeLogin = call({
  name: 'oneTimeLogin',
  summary: 'Signs in with the one-time token of a link; valid for 15 minutes, single use.',
  method: 'POST',
  path: '/api/auth/one-time',
  who: 'anyone',
  body: z.object({ token: text(200) }),
  result: signedInOrNot,
  refusals: ['link-used', 'company-disabled', 'too-many'],
});

/** `trustDevice`: in this browser the password alone signs in for {@link trustedDeviceDays} days. */
export const completeSignIn = call({
  name: 'completeSignIn',
  summary: 'Completes a sign-in with a code of the authenticator app or a recovery code.',
  method: 'POST',
  path: '/api/auth/second-step',
  who: 'anyone',
  body: z.object({
    ticket: text(200),
    method: z.enum(['authenticator', 'recovery']),
    code: text(limits.secondFactorCode),
    trustDevice: z.boolean(),
  }),
  result: signedIn,
  refusals: ['wrong-second-factor', 'sign-in-expired', 'company-disabled', 'too-many'],
});

/**
 * Checks whether the browser is signed in and rotates the refresh token of its cookie. `active`: whether the person was active since
 * the last call (or is in a visit), so that polling alone does not extend a sign-in.
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
  summary: 'Ends one kind of sign-in of this browser, or all sign-ins of the person.',
  method: 'POST',
  path: '/api/auth/logout',
  who: 'anyone',
  body: z.object({ kind, everywhere: z.optional(z.boolean()) }),
});

/** CALL-24: the response and its timing are the same for known and unknown emails. */
export const requestPasswordReset = call({
  name: 'requestPasswordReset',
  summary: 'Sends a link for a new password if the email belongs to a user.',
  method: 'POST',
  path: '/api/auth/request-reset',
  who: 'anyone',
  body: z.object({ email: loginEmail }),
  refusals: ['too-many'],
});

/** CALL-24: `refreshToken` is the uid of the link (valid for 1 hour, single use). Ends every other sign-in. */
export const passwordReset = call({
  name: 'passwordReset',
  summary: 'Sets a new password with the link of a mail and signs in.',
  method: 'POST',
  path: '/api/auth/reset',
  who: 'anyone',
  body: z.object({ user: z.object({ refreshToken: text(200), password }) }),
  result: signedInOrNot,
  refusals: ['link-used', 'common-password', 'company-disabled', 'too-many'],
});

/** The signed-in person with their current role, read from the database. */
export const getSignIn = call({
  name: 'getSignIn',
  summary: 'The signed-in person and the settings of their company.',
  method: 'GET',
  path: '/api/sign-in',
  who: everyone,
  unlicensed: 'yes',
  withoutFactor: true,
  result: z.object({
    role: z.enum(['A', 'D', 'U', 'P', 'Super']),
    userId: z.nullable(z.int()),
    patientId: z.nullable(z.int()),
    firstName: z.string(),
    lastName: z.string(),
    /** Null for a Super. */
    company: z.nullable(
      z.object({
        companyId: z.int(),
        companyName: z.string(),
        timeZone: z.string(),
        currency: z.string(),
        supportEmail: z.string(),
        /** The license: the day of its end in the company's zone (YYYY-MM-DD), and whether it has come (STATE-24). */
        expirationDate: z.string(),
        expired: z.boolean(),
      }),
    ),
    /** Of staff without the second factor that their company requires: from which day in its zone (YYYY-MM-DD), and whether it has come. */
    lacksFactor: z.nullable(z.object({ from: z.string(), isDue: z.boolean() })),
    /** Staff are signed out after this time without input, minutes. */
    idleMinutes: z.int(),
    /** Whether the sign-in lasts 30 days: its pages are paused then instead (decision 027). */
    remembered: z.boolean(),
  }),
});
