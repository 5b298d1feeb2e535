import { externalFailures } from '@roomside/contract/external-sign-in/calls.ts';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderScreen } from '../../testing/render.tsx';
import { fakeServer, problem } from '../../testing/server.ts';
import { LoginPage } from '../auth/LoginPage.tsx';
import { texts } from './texts.ts';

const provider = { providerName: 'acme', providerClass: 'OpenID Connect', description: 'Acme Health', logoUrl: '' };
const brand = () => ({ brandName: 'Acme', color: '', logoUrl: '', strictMode: true, providers: [provider] });

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(() => void vi.unstubAllGlobals());

test('failed sign-in: each reason of the address has its sentence; an unknown one has none', async () => {
  for (const reason of externalFailures) {
    fakeServer({ 'GET /api/brand': brand });
    const { unmount } = renderScreen(<LoginPage />, `/login?failed=${reason}`);
    expect((await screen.findByRole('alert')).textContent).toBe(texts.failures[reason]);
    unmount();
  }
  fakeServer({ 'GET /api/brand': brand });
  renderScreen(<LoginPage />, '/login?failed=<b>other</b>');
  expect(await screen.findByRole('link', { name: 'Sign in with Acme Health' })).toBeDefined();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('user with a second factor: the page takes the ticket once and asks for the code', async () => {
  const { asked } = fakeServer({
    'GET /api/brand': brand,
    'POST /api/auth/external-step': () => ({ signedIn: false, ticket: 'ticket', methods: ['authenticator'] }),
  });
  const { router } = renderScreen(<LoginPage />, '/login?step=second');
  expect(await screen.findByRole('textbox')).toBeDefined();
  expect(asked.filter(({ path }) => path === '/api/auth/external-step')).toHaveLength(1);
  expect(router.state.location.search).toBe('');
});

test('second step that is over: the providers are offered again, with the reason', async () => {
  fakeServer({
    'GET /api/brand': brand,
    'POST /api/auth/external-step': () => problem(401, 'sign-in-expired'),
  });
  renderScreen(<LoginPage />, '/login?step=second');
  expect((await screen.findByRole('alert')).textContent).toContain('Please sign in again.');
  expect(screen.getByRole('link', { name: 'Sign in with Acme Health' })).toBeDefined();
});
