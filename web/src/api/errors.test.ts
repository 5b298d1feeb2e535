import { expect, test } from 'vitest';
import { wordsFor } from './errors.ts';
import { OfflineError, ProblemError } from './problem.ts';

test.each([
  [new OfflineError('x'), 'You seem offline. Check your connection and try again.'],
  [new ProblemError({ status: 403, code: 'not-allowed', title: 'Not you.' }), 'Not you.'],
  [
    new ProblemError({ status: 409, code: 'stale', title: 'Changed.', detail: 'Dr. Lee changed it.' }),
    'Dr. Lee changed it.',
  ],
  [new ProblemError({ status: 401, code: 'not-signed-in' }), 'Please sign in.'],
  [
    new ProblemError({ status: 429, code: 'too-many', retryAfter: 40 }),
    'Too many attempts. Please wait 40 seconds and try again.',
  ],
  [new ProblemError({ status: 502 }), 'Something went wrong on our side. Please try again.'],
  [new TypeError('a bug'), 'Something went wrong on our side. Please try again.'],
])('error %#: has a text', (error, words) => {
  expect(wordsFor(error)).toBe(words);
});
