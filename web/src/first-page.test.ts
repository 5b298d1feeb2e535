import { getBrand, login } from '@roomside/contract/auth/calls.ts';
import { getBookingPage } from '@roomside/contract/booking/calls.ts';
import { afterEach, expect, test, vi } from 'vitest';
import html from '../index.html?raw';
import { dropStartedRequests } from './api/request.ts';
import { send } from './api/send.ts';
import { firstPageOf } from './first-page.ts';
import { fakeServer } from './testing/server.ts';

const uid = '0123456789abcdef0123456789abcdef';

afterEach(() => {
  dropStartedRequests();
  vi.unstubAllGlobals();
});

test.each([
  ['/link', 'link', true],
  ['/link/aB3', 'opening', true],
  [`/appointment/${uid}/pt`, 'opening', false],
  ['/login', 'login', false],
  [`/patient-payment/${uid}`, 'payment', false],
  [`/patient/book/${uid}`, 'booking', false],
  // A later step.
  [`/patient/book/${uid}?step=when`, 'other', false],
  ['/login/token', 'other', false],
  ['/waiting-room', 'other', false],
])('%s: starts with the static page %s of index.html', (address, staticPage, isLight) => {
  const page = firstPageOf(address);
  expect([page.staticPage, page.isLight ?? false]).toEqual([staticPage, isLight]);
  expect(html).toContain(`data-first="${staticPage}"`);
});

test('first request of a page: the page’s own call takes its response', async () => {
  const { asked } = fakeServer({
    'POST /api/auth/login': ({ body }) => body,
    'GET /api/brand': ({ query }) => query,
    [`GET /api/booking/${uid}`]: () => ({ companyName: 'A' }),
  });
  for (const address of ['/link/a%20B3', '/login', `/patient/book/${uid}`]) firstPageOf(address).start?.();
  expect(asked).toHaveLength(3);
  const body = { isPatient: true, user: { email: 'a B3' } };
  expect(await send(login, { body })).toEqual(body);
  expect(await send(getBrand, { query: { host: location.hostname } })).toEqual({ host: location.hostname });
  expect(await send(getBookingPage, { params: { companyUid: uid } })).toEqual({ companyName: 'A' });
  expect(asked).toHaveLength(3);
});
