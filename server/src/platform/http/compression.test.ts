import { call } from '@roomside/contract/call.ts';
import { allCalls } from '@roomside/contract/calls.ts';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { acceptedEncoding, isCompressible } from './compression.ts';

test('calls: exactly these reads are compressed, none with a token, an access code or a credential', () => {
  // A new call is decided here, by decision 031.
  expect(
    allCalls
      .filter(isCompressible)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([
    'downloadAppointments',
    'getAccount',
    'getArrivedCount',
    'getBookingPage',
    'getBrand',
    'getCompany',
    'getCompanySettings',
    'getPatient',
    'getRule',
    'getScheduleSettings',
    'getSession',
    'listAppointments',
    'listArrived',
    'listBookingRequests',
    'listBookingSlots',
    'listDoctors',
    'listMessages',
    'listMySlots',
    'listMyVisits',
    'listPatientMatches',
    'listPatients',
    'listRules',
    'listSchedule',
    'listSlots',
    'listTimeOff',
    'listTimeOffVisits',
    'listUpcomingVisits',
  ]);
});

test('a read with a secret anywhere in its result stays uncompressed', () => {
  const read = (result: Parameters<typeof z.object>[0]) =>
    isCompressible(
      call({ name: 'x', summary: 'x', method: 'GET', path: '/x', who: 'anyone', result: z.object(result ?? {}) }),
    );
  const inner = z.object({ accessCode: z.string() });
  expect(read({ name: z.string() })).toBe(true);
  expect(read({ accessToken: z.string() })).toBe(false);
  expect(read({ data: z.array(inner) })).toBe(false);
  expect(read({ data: z.nullable(z.optional(inner)) })).toBe(false);
  expect(read({ data: z.union([z.string(), inner]) })).toBe(false);
  expect(read({ data: z.record(z.string(), inner) })).toBe(false);
  expect(read({ data: z.tuple([z.string(), inner]) })).toBe(false);
});

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['gzip;q=0, br;q=0', undefined],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'gzip'],
  ['identity', undefined],
  ['GZIP ; Q=0.3', 'gzip'],
])('accept-encoding %j: %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});
