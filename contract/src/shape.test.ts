import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { instantBody } from './appointments/calls.ts';
import { accessCode } from './auth/calls.ts';
import { normalizeUid } from './normalize-uid.ts';
import { patientBody } from './patients/calls.ts';
import { chatText } from './room/messages.ts';
import { email, line, loginEmail, money, password, phone, requiredLine, text, uid } from './shape.ts';

const errors = (schema: z.ZodMiniType, value: unknown) => {
  const result = z.safeParse(schema, value);
  return result.success
    ? {}
    : Object.fromEntries(result.error.issues.map((issue) => [issue.path.join('.'), issue.message]).reverse());
};
const ok = (schema: z.ZodMiniType, value: unknown) => z.safeParse(schema, value).success;

test('phone: ten US digits @VALID-8 @VALID-24', () => {
  expect(ok(phone, '2125551234')).toBe(true);
  for (const wrong of ['1125551234', '2121551234', '212555123', '21255512345', '212-555-1234'])
    expect(ok(phone, wrong)).toBe(false);
});

test('requiredLine, line and text: visible characters, line breaks only in text', () => {
  for (const name of ["O'Neil", 'Zoë', 'María José', 'Núñez-Smith', '李小龍', 'Jr.\u200d'])
    expect(ok(requiredLine(50), name)).toBe(true);
  for (const name of [
    'a\rb',
    'a\nBcc: x',
    'a\u0007',
    'a\u202eb',
    'a\u2066b',
    'a\ud800',
    'a\u0085',
    '\u0000',
    'a\u2028b',
    'a\u2029b',
  ])
    expect([name, errors(requiredLine(50), name)]).toEqual([name, { '': 'Not valid' }]);
  expect(ok(text(50), 'two\r\nlines\t')).toBe(true);
  expect(ok(line(50), '')).toBe(true);
  for (const odd of ['a\u0007', 'a\u202e', 'a\udfff']) expect(ok(text(50), odd)).toBe(false);
});

test('email: valid addresses of at most 100 characters @VALID-7 @VALID-23', () => {
  expect(ok(email, "o'brien+clinic@example.co.uk")).toBe(true);
  for (const wrong of [
    'x',
    'x@',
    '@x.com',
    'a b@x.com',
    'x@y',
    'x@y..com',
    'a\u0007@x.com',
    'a\u202e@x.com',
    'a@x\u200b.com',
    'a@x.c\ud800m',
  ])
    expect(errors(email, wrong)).toEqual({ '': "Doesn't seem valid" });
  expect(ok(email, `${'a'.repeat(95)}@x.com`)).toBe(false);
});

test('accessCode, loginEmail and password: length limits @VALID-1 @VALID-2', () => {
  expect(errors(accessCode, ' ')).toEqual({ '': 'Required' });
  expect(ok(accessCode, 'x'.repeat(32))).toBe(true);
  expect(ok(accessCode, 'x'.repeat(33))).toBe(false);
  expect(ok(loginEmail, 'a@b.c')).toBe(true);
  expect(ok(loginEmail, 'a@b')).toBe(false);
  expect(ok(password, 'x'.repeat(7))).toBe(false);
  expect(ok(password, 'x'.repeat(100))).toBe(true);
});

test('patientBody: requires names, a birth date, and a phone or an email @VALID-22 @VALID-25', () => {
  const patient = {
    patientId: 0,
    version: 0,
    firstName: 'Ann',
    lastName: "O'Lee",
    doB: '1980-01-31',
    email: '',
    externalId: '',
    patientPhones: [],
  };
  expect(errors(patientBody, patient)).toEqual({ email: 'Please provide at least one phone or an email.' });
  expect(ok(patientBody, { ...patient, email: 'ann@x.test' })).toBe(true);
  expect(ok(patientBody, { ...patient, patientPhones: [{ phone: '2125551234' }] })).toBe(true);
  expect(errors(patientBody, { ...patient, firstName: ' ', doB: '', email: 'ann@x.test' })).toEqual({
    firstName: 'Required',
    doB: 'Required',
  });
  expect(ok(patientBody, { ...patient, email: 'ann@x.test', lastName: 'x'.repeat(51) })).toBe(false);
});

test('instantBody: requires an email or a phone @VALID-30', () => {
  expect(ok(instantBody, { email: '', phone: '' })).toBe(false);
  expect(ok(instantBody, { email: 'a@b.co', phone: '' })).toBe(true);
  expect(ok(instantBody, { email: '', phone: '2125551234' })).toBe(true);
});

test('chatText: length limits apply after trimming @VALID-3', () => {
  const text = { session: 'a'.repeat(32), key: '12345678' };
  expect(ok(chatText, { ...text, payload: ' a ' })).toBe(false);
  expect(ok(chatText, { ...text, payload: 'ok' })).toBe(true);
  expect(ok(chatText, { ...text, payload: 'x'.repeat(1601) })).toBe(false);
});

test('uid: accepts dashes and capitals, normalizeUid removes them', () => {
  const dashed = 'ABCDEF01-2345-6789-abcd-ef0123456789';
  expect(ok(uid, dashed)).toBe(true);
  expect(normalizeUid(dashed)).toBe('abcdef0123456789abcdef0123456789');
  expect(ok(uid, 'xyz')).toBe(false);
});

test('money: at most two decimal places', () => {
  expect(ok(money, '12.50')).toBe(true);
  for (const wrong of ['-1', '1.234', '1e3', '', '.5', 'NaN']) expect(ok(money, wrong)).toBe(false);
});
