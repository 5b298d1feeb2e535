import * as auth from '@roomside/contract/auth/calls.ts';
import * as booking from '@roomside/contract/booking/calls.ts';
import * as mine from '@roomside/contract/my-appointments/calls.ts';
import { expect, test } from 'vitest';
import * as authCalls from './auth-calls.ts';

test.each(['login', 'refresh', 'logout', 'getBrand'] as const)(
  '%s for unauthenticated pages is the call of the contract',
  (name) => {
    const { method, path, who, format, creates } = auth[name];
    expect(authCalls[name]).toEqual({ name, method, path, who, format, creates });
  },
);

test('listMyAppointments for unauthenticated pages: equals the contract’s call', () => {
  const { name, method, path, who, format, creates } = mine.listMyAppointments;
  expect(authCalls.listMyAppointments).toEqual({ name, method, path, who, format, creates });
});

test('getBookingPage for unauthenticated pages: equals the contract’s call', () => {
  const { name, method, path, who, format, creates } = booking.getBookingPage;
  expect(authCalls.getBookingPage).toEqual({ name, method, path, who, format, creates });
});
