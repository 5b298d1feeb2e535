import type { Account } from '@roomside/contract/users/calls.ts';
import { expect, test } from 'vitest';
import { type AccountForm, accountSchema, toBody, toForm } from './account-form.ts';

const stored: Account = {
  userId: 7,
  firstName: 'Maya',
  lastName: "O'Brien",
  email: 'maya@example.com',
  phone: '2125550100',
  notificationType: 2,
  version: 3,
};
const typed = (part: Partial<AccountForm>): AccountForm => ({ ...toForm(stored), ...part });

test('notification mask: is two switches, Email 1 and Text 2', () => {
  const masks = [0, 1, 2, 3].map((notificationType) => toForm({ ...stored, notificationType }));
  expect(masks.map(({ byEmail, byText }) => [byEmail, byText])).toEqual([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ]);
  expect(masks.map((form) => toBody(form, 7, stored).notificationType)).toEqual([0, 1, 2, 3]);
});

test('body: sends untouched values unchanged, without passwords', () => {
  expect(toBody(typed({ currentPassword: 'typed for nothing' }), 7, stored)).toEqual(stored);
});

test.each<[Partial<AccountForm>, string[]]>([
  [{}, []],
  [{ email: 'MAYA@example.com' }, []],
  [{ email: 'other@example.com' }, ['currentPassword']],
  [{ passwordString: 'a-new-password' }, ['currentPassword']],
  [{ passwordString: 'a-new-password', currentPassword: 'x' }, []],
  [{ passwordString: 'short', currentPassword: 'x' }, ['passwordString']],
  [{ phone: '', currentPassword: 'x' }, ['phone']],
  [{ phone: '', byText: false }, ['currentPassword']],
  [{ phone: '2125550199' }, ['currentPassword']],
  [{ phone: '', byText: false, currentPassword: 'x' }, []],
  [{ phone: '1125550100', currentPassword: 'x' }, ['phone']],
])('%j: has errors in %j', (part, fields) => {
  const { error } = accountSchema(stored).safeParse(typed(part));
  expect(error?.issues.map(({ path }) => path.join('.')) ?? []).toEqual(fields);
});
