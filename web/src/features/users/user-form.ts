import type { BodyOf, ResultOf, Schema } from '@roomside/contract/call.ts';
import { limits } from '@roomside/contract/limits.ts';
import { fromCents, isAmount, toCents } from '@roomside/contract/money.ts';
import { email, money, password, phone, requiredLine } from '@roomside/contract/shape.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import type { getUser, saveUser } from '@roomside/contract/users/calls.ts';
import * as z from 'zod/mini';

export type StoredUser = ResultOf<typeof getUser>;

const fields = z.object({
  firstName: requiredLine(limits.name),
  lastName: requiredLine(limits.name),
  email,
  phone: z.union([z.literal(''), phone]),
  roleId: z.enum(['A', 'D', 'U'], { error: fieldTexts.required }),
  npi: z.string().check(z.regex(/^(\d{10})?$/, fieldTexts.invalid)),
  selfPayFee: z.union([z.literal(''), money]),
  byEmail: z.boolean(),
  byText: z.boolean(),
  notifyForUsers: z.array(z.int()),
  disabled: z.boolean(),
  passwordString: z.union([z.literal(''), password]),
});
/** `roleId` is '' until it is chosen. */
export type UserForm = Omit<z.infer<typeof fields>, 'roleId'> & { roleId: 'A' | 'D' | 'U' | '' };

/** VALID-5 to VALID-10. What was typed into the fields of a provider does not count for another role, whose editor hides them. */
export const userSchema = z.pipe(
  z.transform((form: UserForm) => ({ ...form, ...providerFields(form) })),
  fields.check(z.refine((form) => form.phone !== '' || !form.byText, { error: fieldTexts.required, path: ['phone'] })),
) as unknown as Schema<UserForm>;

/** Email 1, Text 2 (ENTITY-3). */
const bits = { email: 1, text: 2 } as const;

export function blankUser(roleId: UserForm['roleId']): UserForm {
  return {
    firstName: '',
    lastName: '',
    email: '',
    phone: '',
    roleId,
    npi: '',
    selfPayFee: '',
    byEmail: true,
    byText: false,
    notifyForUsers: [],
    disabled: false,
    passwordString: '',
  };
}

export function toForm(user: StoredUser): UserForm {
  const { firstName, lastName, email: address, phone: digits, roleId, npi, selfPayFee, disabled } = user;
  return {
    firstName,
    lastName,
    email: address,
    phone: digits,
    roleId,
    npi,
    selfPayFee,
    disabled,
    byEmail: (user.notificationType & bits.email) > 0,
    byText: (user.notificationType & bits.text) > 0,
    notifyForUsers: user.notifyForUsers.map(({ userId }) => userId),
    passwordString: '',
  };
}

/** Whether this role is a provider, with an NPI and a fee (ROLE-4). */
export const isProvider = (roleId: UserForm['roleId']): boolean => roleId === 'A' || roleId === 'D';

const providerFields = ({ roleId, npi, selfPayFee }: UserForm) =>
  isProvider(roleId) ? { npi, selfPayFee } : { npi: '', selfPayFee: '' };

/** The values as they are stored: hidden fields are empty, and an amount has two places. */
export function asStored(form: UserForm): UserForm {
  const { npi, selfPayFee } = providerFields(form);
  return { ...form, npi, selfPayFee: isAmount(selfPayFee) ? fromCents(toCents(selfPayFee)) : selfPayFee };
}

interface Target {
  readonly userId: number;
  readonly version: number;
  /** Of a Super's new user. */
  readonly companyId?: number | undefined;
}

export function toBody(form: UserForm, { companyId, ...target }: Target): BodyOf<typeof saveUser> {
  const { byEmail, byText, notifyForUsers, passwordString, roleId, ...user } = form;
  return {
    ...user,
    ...target,
    roleId: roleId as 'A',
    ...providerFields(form),
    notificationType: (byEmail ? bits.email : 0) + (byText ? bits.text : 0),
    notifyForUsers: notifyForUsers.map((userId) => ({ userId })),
    ...(passwordString && { passwordString }),
    ...(companyId !== undefined && { companyId }),
  };
}
