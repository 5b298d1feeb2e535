import 'temporal-polyfill/global';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { addDays, today } from '../../time/time.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { FirstSteps } from '../first-steps/FirstSteps.tsx';
import { CompanyEditPage } from './CompanyEditPage.tsx';
import { blankCompany } from './company-form.ts';

const user = userEvent.setup();
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

const initial = {
  ...blankCompany('2026-11-21'),
  companyId: 1,
  companyUid: 'c1',
  version: 7,
  companyName: 'River Clinic',
  timeZone: 'America/New_York',
  secondFactorFrom: '2025-03-01',
  paymentProcessor: 'sandbox',
  pmtUser: 'acct-1',
  hasPmtPassword: true,
};

/** The page of the own company over a server that stores. `loses`: the response to the first save is lost. Returns the saved bodies. */
function openPage(loses: boolean) {
  const saved: Record<string, unknown>[] = [];
  let stored: Record<string, unknown> = initial;
  fakeServer({
    'GET /api/first-steps': () => ({
      dismissed: false,
      done: { hours: false, colleagues: false, bookingLink: false, testVisit: false },
      companyUid: 'c1',
      genericSchedule: stored['genericSchedule'],
    }),
    'GET /api/companies/0': () => stored,
    'GET /api/companies/1': () => stored,
    'GET /api/payment-processors': () => ({
      data: [{ processor: 'sandbox', displayName: 'Sandbox', userLabel: 'Account', passwordLabel: 'Secret key' }],
    }),
    'PUT /api/companies': ({ body }) => {
      const sent = body as Record<string, unknown>;
      saved.push(sent);
      if (sent['version'] !== stored['version']) return problem(409, 'stale');
      const { pmtPassword: _password, ...values } = sent;
      stored = {
        ...stored,
        ...values,
        version: Number(sent['version']) + 1,
        hasPmtPassword: values['paymentProcessor'] !== null,
      };
      if (loses && saved.length === 1) throw new TypeError('The connection was lost.');
      return { companyId: 1, version: stored['version'] };
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(
    <>
      <FirstSteps />
      <Routes>
        <Route path="/admin/company/edit" element={<CompanyEditPage />} />
      </Routes>
    </>,
    '/admin/company/edit',
  );
  return saved;
}

const required = () => screen.findByRole('switch', { name: /^Require two-step sign-in/ });
const save = () => user.click(screen.getByRole('button', { name: 'Save' }));

test('what a switch hides is saved, but its response is lost: the next save is recognized as stored', async () => {
  const saved = openPage(true);
  await user.click(await required());
  await user.click(await screen.findByRole('combobox', { name: /^Payment processor/ }));
  await user.click(await screen.findByRole('option', { name: /^None/ }));
  await save();
  await waitFor(() => expect(saved).toHaveLength(1));
  await screen.findAllByRole('alert');
  await save();
  expect(await screen.findByText('The record has been saved.')).toBeDefined();
  expect(saved.map(({ version }) => version)).toEqual([7, 7]);
  expect(saved[0]).toMatchObject({ secondFactorFrom: '', paymentProcessor: null, pmtUser: '' });
  expect(screen.queryByText('Someone else has changed this in the meantime.')).toBeNull();
});

test('second factor: switched off, saved and on again, it is required in two weeks, not from the old day', async () => {
  const saved = openPage(false);
  await user.click(await required());
  await save();
  expect(await screen.findByText('The record has been saved.')).toBeDefined();
  await user.click(await required());
  await save();
  await waitFor(() => expect(saved).toHaveLength(2));
  expect(saved.map(({ secondFactorFrom }) => secondFactorFrom)).toEqual(['', addDays(today('America/New_York'), 14)]);
});

test('booking by link: switched on and saved, the first steps of the clinic offer the link', async () => {
  openPage(false);
  const isOff = 'Booking by link is off. Turn it on in Company Info.';
  expect(await screen.findByText(isOff)).toBeDefined();
  await user.click(await screen.findByRole('switch', { name: 'Patients can book by link' }));
  await save();
  await waitFor(() => expect(screen.queryByText(isOff)).toBeNull());
});
