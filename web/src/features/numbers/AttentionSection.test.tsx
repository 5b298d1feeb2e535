import 'temporal-polyfill/global';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { ensureTemporal } from '../../time/temporal.ts';
import { AttentionSection } from './AttentionSection.tsx';

await ensureTemporal();

test('refund that was not made: says what to do, and leads to the appointment', async () => {
  startSignIn('staff', accessToken({ roles: 'A' }));
  const appointment = { appointmentId: 7, patientId: 3 };
  fakeServer({
    'GET /api/attention': () => ({ data: [{ kind: 'refund-refused', count: 1, date: '', appointment }] }),
  });
  renderScreen(<AttentionSection />, '/admin/home');
  expect(await screen.findByText(/^1 refund was not made\. Refund the card in your account/)).toBeDefined();
  const link = screen.getByRole('link', { name: 'Open the appointment' });
  expect(link.getAttribute('href')).toMatch(/\/appointment-edit\/3\/7$/);
});

test('administrator of the installation: reads what is of how many clinics, and is led to the one or to the list', async () => {
  startSignIn('staff', accessToken({ roles: 'A', company: undefined }));
  fakeServer({
    'GET /api/attention': () => ({
      data: [
        { kind: 'email-failing', count: 3, date: '', clinics: { count: 2, companyId: null } },
        { kind: 'texts-failing', count: 1, date: '', clinics: { count: 1, companyId: 8 } },
        { kind: 'licenses-ended', count: 2, date: '2026-11-03', clinics: { count: 2, companyId: null } },
        { kind: 'licenses-end', count: 1, date: '2026-12-03', clinics: { count: 1, companyId: 9 } },
        { kind: 'supers-without-factor', count: 1, date: '' },
      ],
    }),
  });
  renderScreen(<AttentionSection />, '/admin/home');
  expect(await screen.findByText('3 emails of 2 clinics could not be delivered in the last 24 hours.')).toBeDefined();
  const items = screen.getAllByRole('listitem').map((item) => ({
    text: within(item).getByRole('alert').textContent,
    path: within(item).getByRole('link').getAttribute('href'),
  }));
  expect(items).toEqual([
    { text: expect.stringMatching(/^3 emails of 2 clinics/), path: '/admin/company' },
    { text: expect.stringMatching(/^1 text message of 1 clinic could not/), path: '/admin/company/edit/8' },
    { text: expect.stringMatching(/^The licenses of 2 clinics have ended, the first on /), path: '/admin/company' },
    { text: expect.stringMatching(/^The license of 1 clinic ends on /), path: '/admin/company/edit/9' },
    {
      text: expect.stringMatching(/^1 administrator of the installation without a second factor\./),
      path: '/admin/user/0?without=second-factor',
    },
  ]);
});

test('administrator of the installation: reads that the mail server does not answer', async () => {
  startSignIn('staff', accessToken({ roles: 'A', company: undefined }));
  const [since, clinics] = ['2026-07-01T16:05:00.000Z', { count: 0, companyId: null }];
  fakeServer({
    'GET /api/attention': () => ({ data: [{ kind: 'email-failing', count: 0, date: '', since, clinics }] }),
  });
  renderScreen(<AttentionSection />, '/admin/home');
  expect((await screen.findByRole('alert')).textContent).toMatch(
    /^The mail server hasn’t been reachable since .+\. We keep trying to send what is still due\.Open the companies$/,
  );
});

test.each([
  ['email-failing', 0, 'The mail server hasn’t been reachable since 07/01/2026, 12:05 PM EDT. We keep trying'],
  [
    'texts-failing',
    2,
    'The text message service hasn’t been reachable since 07/01/2026, 12:05 PM EDT. 2 text messages',
  ],
] as const)('%s, server that does not answer: says since when in the clinic’s zone', async (kind, count, words) => {
  startSignIn('staff', accessToken({ roles: 'A' }));
  fakeServer({
    'GET /api/sign-in': () => ({ company: { companyId: 1, timeZone: 'America/New_York' } }),
    'GET /api/attention': () => ({ data: [{ kind, count, date: '', since: '2026-07-01T16:05:00.000Z' }] }),
  });
  renderScreen(<AttentionSection />, '/admin/home');
  expect((await screen.findByRole('alert')).textContent).toContain(words);
});
