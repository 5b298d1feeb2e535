import { call } from '@roomside/contract/call.ts';
import { allCalls } from '@roomside/contract/calls.ts';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { acceptedEncoding, isCompressible } from './compression.ts';

test('isCompressible: is true for exactly these reads, none with a token, an access code or a credential', () => {
  // Decide for a new call by record 031.
  expect(
    allCalls
      .filter(isCompressible)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([
    'countOverdue',
    'downloadAppointments',
    'downloadAuditLog',
    'downloadLedger',
    'downloadNumbers',
    'exportCsv',
    'getAccount',
    'getArrivedCount',
    'getAuditState',
    'getBookingPage',
    'getBrand',
    'getBrandSettings',
    'getClinicFeed',
    'getCompany',
    'getCompanySettings',
    'getCsvColumns',
    'getCsvDefinition',
    'getCsvImport',
    'getCsvProgress',
    'getDataExport',
    'getFirstSteps',
    'getGuestVisit',
    'getInvoice',
    'getLedgerTotals',
    'getLicense',
    'getNumbers',
    'getPatient',
    'getPayment',
    'getPaymentCards',
    'getPromo',
    'getProviderCalendar',
    'getReceipt',
    'getRecordingState',
    'getRetention',
    'getRule',
    'getScheduleSettings',
    'getSecondFactor',
    'getSignIn',
    'getUser',
    'getVisitQuality',
    'listAppointments',
    'listArrived',
    'listAttention',
    'listBookingRequests',
    'listBookingSlots',
    'listBrands',
    'listCompanies',
    'listCsvImports',
    'listDoctors',
    'listInvoices',
    'listLedger',
    'listMessages',
    'listMyAppointments',
    'listMySlots',
    'listOpenBalances',
    'listPatientMatches',
    'listPatients',
    'listPaymentProcessors',
    'listPromos',
    'listRoles',
    'listRules',
    'listSchedule',
    'listSignIns',
    'listSlots',
    'listTimeOff',
    'listTimeOffAppointments',
    'listUpcomingAppointments',
    'listUsers',
  ]);
});

test('isCompressible: is false for a read with a secret field at any depth', () => {
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
])('acceptedEncoding of %j: is %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});
