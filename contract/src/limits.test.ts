import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { appointmentBody } from './appointments/calls.ts';
import { accessCode } from './auth/calls.ts';
import { patientBody } from './patients/calls.ts';
import { promoBody } from './promos/calls.ts';
import { ruleBody } from './scheduling-rules/calls.ts';
import { email, loginEmail, password, phone } from './shape.ts';
import { saveUser } from './users/calls.ts';

const texts = (count: number) => 'x'.repeat(count);
const digits = (count: number) => '2'.repeat(count);
const address = (count: number) => `${texts(count - 6)}@x.com`;

test.each([
  ['welcome message', appointmentBody.shape.welcomeMessage, texts, [0, 200], 201],
  ['external id of an appointment', appointmentBody.shape.externalId, texts, [0, 100], 101],
  ['external id of a patient', patientBody.shape.externalId, texts, [0, 50], 51],
  ['first name of a patient', patientBody.shape.firstName, texts, [1, 50], 51],
  ['last name of a user', saveUser.body.shape.lastName, texts, [1, 50], 51],
  ['email', email, address, [100], 101],
  ['email at login', loginEmail, texts, [5, 100], 101],
  ['email at login', loginEmail, texts, [5], 4],
  ['phone', phone, digits, [10], 11],
  ['phone', phone, digits, [10], 9],
  ['NPI', saveUser.body.shape.npi, digits, [10], 11],
  ['password', password, texts, [8, 100], 101],
  ['password', password, texts, [8], 7],
  ['access code', accessCode, texts, [1, 32], 33],
  ['rule description', ruleBody.shape.description, texts, [1, 100], 101],
  ['promo code', promoBody.shape.code, texts, [1, 50], 51],
] as const)('%s: accepts its limits and nothing beyond @CONST-9', (_, schema, build, accepted, refused) => {
  const isValid = (length: number) => z.safeParse(schema, build(length)).success;
  for (const length of accepted) expect([length, isValid(length)]).toEqual([length, true]);
  expect(isValid(refused)).toBe(false);
});
