import { expect, test } from 'vitest';
import { holdsCardNumber } from './card-number.ts';

test.each(['4242424242424242', 'card 4242 4242 4242 4242 please', '3782-822463-10005', '6011000990139424.'])(
  'holdsCardNumber: true for %s',
  (text) => {
    expect(holdsCardNumber(text)).toBe(true);
  },
);

test.each([
  '4242424242424241',
  '2125551234',
  '2026-11-21 14:30',
  '0000000000000000',
  'order 123456789012',
  '42424242424242424242424242',
])('holdsCardNumber: false for %s', (text) => {
  expect(holdsCardNumber(text)).toBe(false);
});
