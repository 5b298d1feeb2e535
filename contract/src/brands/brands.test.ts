import { expect, test } from 'vitest';
import { isReadableWithWhite } from './color.ts';
import { hostOf, hostsOf } from './hosts.ts';

test.each([
  ['Visits.Example.com', 'visits.example.com'],
  [' https://visits.example.com:8443/ ', 'visits.example.com'],
  ['visits.example.com.', 'visits.example.com'],
  ['localhost:3000', 'localhost'],
  ['127.0.0.1', '127.0.0.1'],
  ['bücher.example', ''],
  ['', ''],
  ['two words', ''],
  ['visits.example.com/login', ''],
  ['https://user@visits.example.com', ''],
  ['ftp://visits.example.com', ''],
])('hostOf: %j is %j', (typed, host) => {
  expect(hostOf(typed)).toBe(host);
});

test('hostsOf: each once; one that is none stays as typed', () => {
  expect(hostsOf('A.test, a.test\nb.test;; c.test/x')).toEqual(['a.test', 'b.test', 'c.test/x']);
});

// The ratios with white: 4.54 and 4.48, 21, 1.
test.each([
  ['#767676', true],
  ['#777777', false],
  ['#000000', true],
  ['#ffffff', false],
])('isReadableWithWhite: %s is %s', (color, expected) => {
  expect(isReadableWithWhite(color)).toBe(expected);
});
