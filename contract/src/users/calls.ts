import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { staff } from '../permissions.ts';
import { email, id, idOrZero, listQuery, listResult, money, password, phone, requiredLine, version } from '../shape.ts';
import { fieldTexts } from '../texts.ts';

const provider = z.object({ userId: z.int(), firstName: z.string(), lastName: z.string() });
export type Provider = z.infer<typeof provider>;

/** CALL-18: the enabled administrators and doctors of the company, sorted by last name. */
export const listDoctors = call({
  name: 'listDoctors',
  summary: 'The providers of the company.',
  method: 'GET',
  path: '/api/doctors',
  who: staff,
  result: z.object({ data: z.array(provider) }),
});

/** ENTITY-3: the bit of `notificationType` for text messages, which need a phone. */
const textBit = 2;

/** A user's own record (ENTITY-3); `notificationType` is a bit mask, Email 1, Text 2. */
const account = z.object({
  userId: id,
  firstName: requiredLine(limits.name),
  lastName: requiredLine(limits.name),
  email,
  /** Ten digits, or '' for none (VALID-8). */
  phone: z.union([phone, z.literal('')]),
  notificationType: z.int().check(z.gte(0), z.lte(3)),
  version,
});
export type Account = z.infer<typeof account>;

export const getAccount = call({
  name: 'getAccount',
  summary: 'The signed-in user’s own record.',
  method: 'GET',
  path: '/api/account',
  who: ['A', 'D', 'U', 'Super'],
  unlicensed: 'yes',
  result: z.object({
    ...account.shape,
    /** Whose patients' arrivals the user is notified of; administrators choose them (ENTITY-3). */
    notifyForUsers: z.array(provider),
    /** The user is a provider, and the company notifies each provider when one of their patients arrives. */
    notifyOfOwn: z.boolean(),
  }),
});

/** A new password, email or phone requires the current password, or a confirmation by a user without one, and ends all other sign-ins. */
export const saveAccount = call({
  name: 'saveAccount',
  summary: 'Saves the signed-in user’s own record.',
  method: 'PUT',
  path: '/api/account',
  who: ['A', 'D', 'U', 'Super'],
  unlicensed: 'yes',
  body: z
    .object({
      ...account.shape,
      passwordString: z.optional(password),
      currentPassword: z.optional(z.string().check(z.maxLength(limits.passwordMax))),
    })
    .check(
      z.refine((user) => user.phone !== '' || user.notificationType < textBit, {
        error: fieldTexts.required,
        path: ['phone'],
      }),
    ),
  result: z.object({ version: z.int() }),
  refusals: ['stale', 'email-taken', 'wrong-password', 'confirm-identity', 'common-password', 'too-many'],
});

/** ENTITY-22: the roles that a user can have. */
export const roles = [
  { roleId: 'A', roleName: 'Administrator' },
  { roleId: 'D', roleName: 'Doctor' },
  { roleId: 'U', roleName: 'Staff' },
] as const;
const roleId = z.enum(['A', 'D', 'U'], { error: fieldTexts.required });
export const roleNameOf = (role: string): string => roles.find((one) => one.roleId === role)?.roleName ?? role;

/** CALL-19. */
export const listRoles = call({
  name: 'listRoles',
  summary: 'The roles that a user can have.',
  method: 'GET',
  path: '/api/roles',
  who: ['A', 'Super'],
  result: z.object({ data: z.array(z.object({ roleId, roleName: z.string() })) }),
});

export const userColumns = ['firstName', 'lastName', 'company', 'email', 'role', 'created'] as const;

const companyOfUser = z.object({ companyId: z.int(), companyName: z.string() });

/** A row of the user list (USERS-2). `company` is null for administrators of the installation. */
const userRow = z.object({
  userId: z.int(),
  firstName: z.string(),
  lastName: z.string(),
  company: z.nullable(companyOfUser),
  /** Of the addresses of their company's pages, e.g. 'visits.example.com'. */
  host: z.string(),
  email: z.string(),
  role: z.object({ roleId, roleName: z.string() }),
  created: z.string(),
  disabled: z.boolean(),
  /** Has not picked a password yet. */
  invited: z.boolean(),
  hasSecondFactor: z.boolean(),
});
export type UserRow = z.infer<typeof userRow>;

/**
 * CALL-19. `filter` matches names and email. Administrators see the users of their company; a Super those of all, or of
 * `companyId`, 0 = the administrators of the installation. `withoutFactor`: only users who are not disabled and have no second factor.
 */
export const listUsers = call({
  name: 'listUsers',
  summary: 'The users.',
  method: 'GET',
  path: '/api/users',
  who: ['A', 'Super'],
  query: z.object({
    ...listQuery(userColumns),
    companyId: z.optional(idOrZero),
    withoutFactor: z.optional(z.boolean()),
  }),
  result: listResult(userRow),
});

/** VALID-10: ten digits, or '' for none. */
const npi = z.string().check(z.regex(/^(\d{10})?$/, fieldTexts.invalid));

/** The providers of whose arrivals a user is notified (ENTITY-3). */
const notifyForUsers = z.array(z.object({ userId: id })).check(z.maxLength(limits.ruleProviders));

/** What is typed about a user (ENTITY-3, VALID-5 to VALID-10). `userId` 0 = new; `phone`, `npi` and `selfPayFee` '' = none. */
const userFields = {
  userId: idOrZero,
  version,
  firstName: requiredLine(limits.name),
  lastName: requiredLine(limits.name),
  email,
  phone: z.union([phone, z.literal('')]),
  roleId,
  npi,
  /** The fee of this provider's appointments; '' = the company's. */
  selfPayFee: z.union([money, z.literal('')]),
  /** A bit mask, Email 1, Text 2. */
  notificationType: z.int().check(z.gte(0), z.lte(3)),
  notifyForUsers,
  disabled: z.boolean(),
};

const ofUser = z.object({ userId: id });

export const getUser = call({
  name: 'getUser',
  summary: 'A user.',
  method: 'GET',
  path: '/api/users/:userId',
  who: ['A', 'Super'],
  params: ofUser,
  result: z.object({
    ...userFields,
    role: z.object({ roleId, roleName: z.string() }),
    /** 0 = an administrator of the installation. */
    companyId: z.int(),
    company: z.nullable(companyOfUser),
    /** Of the addresses of their company's pages. */
    host: z.string(),
    /** At the external provider that signs the user in; '' = none. */
    externalId: z.string(),
    created: z.string(),
    /** Signs in by an external provider: there is no password. */
    isExternal: z.boolean(),
    hasPassword: z.boolean(),
    /** Signing in asks for a passkey or a code after the password. */
    hasSecondFactor: z.boolean(),
    /** When a user without a password was last sent a link to choose one; null = never, or the links have ended. */
    invitedAt: z.nullable(z.string()),
    /** When those links ended unused, for example with a sign-out on all devices; null = they did not, or one was sent again. */
    invitationEndedAt: z.nullable(z.string()),
  }),
});

/**
 * VALID-5 to VALID-10. Without a password a new user gets a mail with a link to choose one. Email, phone and password of the own
 * record are saved by {@link saveAccount}. `companyId` is of a Super's new user; 0 = an administrator of the installation.
 */
const userBody = z
  .object({ ...userFields, companyId: z.optional(idOrZero), passwordString: z.optional(password) })
  .check(
    z.refine((user) => user.roleId !== 'U' || (user.npi === '' && user.selfPayFee === ''), {
      error: fieldTexts.invalid,
      path: ['npi'],
    }),
    z.refine((user) => user.phone !== '' || user.notificationType < textBit, {
      error: fieldTexts.required,
      path: ['phone'],
    }),
  );
export type UserBody = z.infer<typeof userBody>;

export const saveUser = call({
  name: 'saveUser',
  summary: 'Creates or saves a user.',
  method: 'PUT',
  path: '/api/users',
  who: ['A', 'Super'],
  body: userBody,
  /** `upcoming`: appointments that remain with a provider who was disabled or has another role now. */
  result: z.object({ userId: z.int(), version: z.int(), invited: z.boolean(), upcoming: z.int() }),
  creates: true,
  refusals: [
    'stale',
    'email-taken',
    'common-password',
    'last-administrator',
    'provider-limit',
    'own-record',
    'too-many',
    'trial-messages',
    'key-reused',
  ],
});

/** A user with visits or other records, or who has seen or changed anything, is not deleted: `user-has-records`. */
export const deleteUser = call({
  name: 'deleteUser',
  summary: 'Deletes a user without records.',
  method: 'DELETE',
  path: '/api/users/:userId',
  who: ['A', 'Super'],
  params: ofUser,
  refusals: ['last-administrator', 'user-has-records', 'own-record'],
});

export const inviteUser = call({
  name: 'inviteUser',
  summary: 'Mails a user a link to choose a password.',
  method: 'POST',
  path: '/api/users/:userId/invitation',
  who: ['A', 'Super'],
  params: ofUser,
  refusals: ['not-allowed', 'too-many', 'trial-messages'],
});

export const endUserSignIns = call({
  name: 'endUserSignIns',
  summary: 'Signs a user out on all devices.',
  method: 'POST',
  path: '/api/users/:userId/sign-out',
  who: ['A', 'Super'],
  params: ofUser,
  refusals: ['own-record'],
});

/** For a user who has lost their phone and recovery codes. The user is signed out everywhere and mailed. */
export const resetSecondFactor = call({
  name: 'resetSecondFactor',
  summary: 'Removes the passkeys, authenticator app and recovery codes of a user.',
  method: 'POST',
  path: '/api/users/:userId/second-factor/reset',
  who: ['A', 'Super'],
  params: ofUser,
  refusals: ['own-record'],
});

/**
 * For a user whose account at an external provider was replaced, or who has left it. The next sign-in by a provider with the user's verified email
 * connects again. The user is signed out everywhere.
 */
export const disconnectUser = call({
  name: 'disconnectUser',
  summary: 'Disconnects a user from the account of an external provider.',
  method: 'POST',
  path: '/api/users/:userId/disconnect',
  who: ['A', 'Super'],
  params: ofUser,
  refusals: ['own-record', 'not-allowed'],
});
