import { expect, test } from 'vitest';
import { toRefusal } from './problem.ts';

const codeOf = (error: object) => toRefusal(Object.assign(new Error('x'), error)).refusal.code;

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', '57P01', '57P04', '25P03', '53300'])(
  'an error with the code %s: unavailable, since the database may come back',
  (code) => expect(codeOf({ code })).toBe('unavailable'),
);

test.each([
  'timeout exceeded when trying to connect',
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
])('“%s” of the driver: unavailable', (message) => expect(codeOf({ message })).toBe('unavailable'));

test('other errors: malformed for values that cannot be stored, else server-error', () => {
  expect(codeOf({ code: '22P05' })).toBe('malformed');
  expect(codeOf({ code: '23505' })).toBe('server-error');
  expect(codeOf({})).toBe('server-error');
});
