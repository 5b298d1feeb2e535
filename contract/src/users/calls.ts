import * as z from 'zod/mini';
import { call } from '../call.ts';
import { limits } from '../limits.ts';
import { staff } from '../permissions.ts';
import { email, id, password, phone, requiredLine, version } from '../shape.ts';

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
  result: account,
});

/** A new password or email requires the current password and ends all other sign-ins. */
export const saveAccount = call({
  name: 'saveAccount',
  summary: 'Saves the signed-in user’s own record.',
  method: 'PUT',
  path: '/api/account',
  who: ['A', 'D', 'U', 'Super'],
  body: z.object({
    ...account.shape,
    passwordString: z.optional(password),
    currentPassword: z.optional(z.string().check(z.maxLength(limits.passwordMax))),
  }),
  result: z.object({ version: z.int() }),
  refusals: ['stale', 'email-taken', 'wrong-password', 'common-password', 'too-many'],
});
