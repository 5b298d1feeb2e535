import type { BodyOf } from '@roomside/contract/call.ts';
import { limits } from '@roomside/contract/limits.ts';
import {
  email as emailShape,
  password,
  phone as phoneShape,
  requiredText,
  text,
  version as versionShape,
} from '@roomside/contract/shape.ts';
import { fieldTexts } from '@roomside/contract/texts.ts';
import type { Account, saveAccount } from '@roomside/contract/users/calls.ts';
import * as z from 'zod/mini';

const fields = z.object({
  firstName: requiredText(limits.name),
  lastName: requiredText(limits.name),
  email: emailShape,
  phone: z.union([z.literal(''), phoneShape]),
  byEmail: z.boolean(),
  byText: z.boolean(),
  passwordString: z.union([z.literal(''), password]),
  currentPassword: text(limits.passwordMax),
  version: versionShape,
});
export type AccountForm = z.infer<typeof fields>;

/** Email 1, Text 2 (ENTITY-3). */
const bits = { email: 1, text: 2 } as const;

type Contact = Pick<Account, 'email' | 'phone'>;

/** True when the change requires the current password: a new password or a changed contact. */
export const isSensitive = (form: Contact & Pick<AccountForm, 'passwordString'>, stored: Contact): boolean =>
  form.passwordString !== '' ||
  form.email.trim().toLowerCase() !== stored.email.toLowerCase() ||
  form.phone !== stored.phone;

/** The rules of My Account for a user with this stored contact. Without a password the server asks for another confirmation. */
export const accountSchema = (stored: Contact, hasPassword = true) =>
  fields.check(
    z.refine((form) => !hasPassword || form.currentPassword !== '' || !isSensitive(form, stored), {
      error: fieldTexts.required,
      path: ['currentPassword'],
    }),
    z.refine((form) => form.phone !== '' || !form.byText, { error: fieldTexts.required, path: ['phone'] }),
  );

export function toForm({ firstName, lastName, email, phone, notificationType, version }: Account): AccountForm {
  return {
    firstName,
    lastName,
    email,
    phone,
    byEmail: (notificationType & bits.email) > 0,
    byText: (notificationType & bits.text) > 0,
    passwordString: '',
    currentPassword: '',
    version,
  };
}

export function toBody(form: AccountForm, userId: number, stored: Contact): BodyOf<typeof saveAccount> {
  const { byEmail, byText, passwordString, currentPassword, ...account } = form;
  return {
    ...account,
    userId,
    notificationType: (byEmail ? bits.email : 0) + (byText ? bits.text : 0),
    ...(passwordString && { passwordString }),
    ...(isSensitive(form, stored) && { currentPassword }),
  };
}
