import type { SecondStepMethod } from '@roomside/contract/auth/calls.ts';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { LoginPage } from './LoginPage.tsx';
import { LoginTokenPage } from './LoginTokenPage.tsx';
import { ResetPage } from './ResetPage.tsx';
import { SecondStep } from './SecondStep.tsx';

const brand = (part: object) => () => ({ strictMode: true, providers: [], ...part });

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(() => void vi.unstubAllGlobals());

test('brand with external providers: shows only their buttons', async () => {
  const { asked } = fakeServer({
    'GET /api/brand': brand({
      strictMode: false,
      providers: [
        { providerName: 'acme health', providerClass: 'Acme', description: 'Acme Health', logoUrl: '/acme.svg' },
      ],
    }),
  });
  renderScreen(<LoginPage />, '/login');
  const button = await screen.findByRole('link', { name: 'Sign in with Acme Health' });
  expect(button.getAttribute('href')).toBe('/api/auth/external/acme%20health');
  expect(button.querySelector('img')?.getAttribute('src')).toBe('/acme.svg');
  expect(button.getAttribute('title')).toBe('Acme Acme Health');
  expect(screen.queryByLabelText('Email')).toBeNull();
  expect(screen.queryByText('Sign Up')).toBeNull();
  expect(asked[0]?.query).toEqual({ host: location.hostname });
});

test.each([
  [true, 0],
  [false, 1],
])('strict brand (%s): shows %i sign-up links', async (strictMode, count) => {
  fakeServer({ 'GET /api/brand': brand({ strictMode }) });
  renderScreen(<LoginPage />, '/login');
  expect(await screen.findByLabelText('Email')).toBeDefined();
  expect(screen.getByRole('link', { name: 'Reset Password' }).getAttribute('href')).toBe('/request-reset');
  expect(screen.queryAllByRole('link', { name: 'Sign Up' }).map((link) => link.getAttribute('href'))).toEqual(
    Array.from({ length: count }, () => '/signup'),
  );
});

describe('passkeys', () => {
  const elsewhere = 'https://visits.example.com';

  test.each([
    [location.origin, 1],
    [elsewhere, 0],
  ])('sign-in on pages of this origin when passkeys work on %s: shows %i buttons', async (passkeyOrigin, count) => {
    vi.stubGlobal('PublicKeyCredential', class {});
    fakeServer({ 'GET /api/brand': brand({ passkeyOrigin }) });
    renderScreen(<LoginPage />, '/login');
    expect(await screen.findByRole('button', { name: 'Log In' })).toBeDefined();
    expect(screen.queryAllByRole('button', { name: 'Sign in with a passkey' })).toHaveLength(count);
  });

  test('second step on pages of another origin: offers the other methods, or says where the passkey works', async () => {
    fakeServer({ 'GET /api/brand': brand({ passkeyOrigin: elsewhere }) });
    const show = (...methods: SecondStepMethod[]) =>
      renderScreen(<SecondStep step={{ signedIn: false, ticket: 'ticket', methods }} onRestart={() => undefined} />);
    const { unmount } = show('passkey', 'recovery');
    expect(await screen.findByLabelText(/^Recovery code/)).toBeDefined();
    expect(screen.queryByRole('button', { name: /passkey/ })).toBeNull();
    unmount();
    show('passkey');
    expect(
      await screen.findByText('Your passkey works on visits.example.com only. Please sign in there.'),
    ).toBeDefined();
    // What the page says is read: nothing else takes the focus.
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'One more step' })));
    const link = screen.getByRole('link', { name: 'Go to visits.example.com' });
    expect(link.getAttribute('href')).toBe(`${elsewhere}/#/login`);
  });
});

/** Renders the page at its own address. */
const openLink = (token: string) =>
  renderScreen(
    <Routes>
      <Route path="/login/:token" element={<LoginTokenPage />} />
      <Route path="*" element={<p>inside</p>} />
    </Routes>,
    `/login/${token}`,
  ).router;

test('one-time token of a link: signs in once @LOGIN-3', async () => {
  const { asked } = fakeServer({
    'POST /api/auth/one-time': () => ({ signedIn: true, accessToken: accessToken({ roles: 'D' }) }),
  });
  const router = openLink('once-only');
  await waitFor(() => expect(router.state.location.pathname).toBe('/waiting-room'));
  expect(asked.map(({ path, body }) => ({ path, body }))).toEqual([
    { path: '/api/auth/one-time', body: { token: 'once-only' } },
  ]);
});

test('used one-time token: shows the reason and a link to the form @LOGIN-3', async () => {
  fakeServer({ 'POST /api/auth/one-time': () => problem(401, 'link-used') });
  openLink('used');
  expect((await screen.findByRole('alert')).textContent).toContain('This link has already been used or has expired.');
  const way = screen.getByRole('link', { name: 'Sign in with email and password' });
  expect(way.getAttribute('href')).toBe('#/login');
});

test('another one-time token in the same tab, after a used one: is sent, too', async () => {
  const { asked } = fakeServer({ 'POST /api/auth/one-time': () => problem(401, 'link-used') });
  const router = openLink('used');
  await screen.findByRole('alert');
  await router.navigate('/login/another');
  await waitFor(() => expect(asked.map(({ body }) => body)).toEqual([{ token: 'used' }, { token: 'another' }]));
});

test('new password of a user with a second factor: is confirmed before the second step', async () => {
  const ticket = { signedIn: false, ticket: 'a-ticket', methods: ['authenticator'] };
  fakeServer({ 'POST /api/auth/reset': () => ticket });
  renderScreen(<ResetPage />, '/reset/some-link');
  await userEvent.type(await screen.findByLabelText(/^New password/, { selector: 'input' }), 'quite-another-one');
  await userEvent.click(screen.getByRole('button', { name: 'Save and sign in' }));
  expect(await screen.findByText('Your password has been reset successfully.')).toBeDefined();
  expect(screen.getByRole('heading', { name: 'One more step' })).toBeDefined();
});
