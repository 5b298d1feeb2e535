import * as auth from '@roomside/contract/auth/calls.ts';
import * as booking from '@roomside/contract/booking/calls.ts';
import * as room from '@roomside/contract/room/calls.ts';
import { expect, test } from 'vitest';
import * as door from './door.ts';

test.each(['login', 'refresh', 'logout', 'getBrand'] as const)('%s of the door is the call of the contract', (name) => {
  const { method, path, who, format, creates } = auth[name];
  expect(door[name]).toEqual({ name, method, path, who, format, creates });
});

test('listMyVisits of the door is the call of the contract', () => {
  const { name, method, path, who, format, creates } = room.listMyVisits;
  expect(door.listMyVisits).toEqual({ name, method, path, who, format, creates });
});

test('getBookingPage of the door is the call of the contract', () => {
  const { name, method, path, who, format, creates } = booking.getBookingPage;
  expect(door.getBookingPage).toEqual({ name, method, path, who, format, creates });
});
