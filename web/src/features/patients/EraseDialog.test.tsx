import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { EraseDialog } from './EraseDialog.tsx';

const passkey = { passkeyId: 3, name: 'My passkey', createdAt: '2026-11-02T09:00:00.000Z', usedAt: null };

/** An administrator without a password erases; the server asks for a confirmation until there was one. */
async function erase(passkeys: readonly (typeof passkey)[]) {
  let isConfirmed = false;
  const { asked } = fakeServer({
    'GET /api/account/second-factor': () => ({
      hasPassword: false,
      authenticatorSince: null,
      recoveryCodesLeft: 0,
      passkeys,
    }),
    'POST /api/patients/5/erasure': () => (isConfirmed ? undefined : problem(403, 'confirm-identity')),
    'POST /api/account/confirm/passkey/options': () => ({ options: { challenge: 'AAAA' } }),
    'POST /api/account/confirm/passkey': () => void (isConfirmed = true),
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  const { router } = renderScreen(<EraseDialog patientId={5} name="Mia Park" onClose={() => undefined} />, '/patient');
  await userEvent.click(await screen.findByRole('combobox', { name: /^Reason/ }));
  await userEvent.click(await screen.findByRole('option', { name: 'The patient asked for it' }));
  expect(screen.queryByLabelText(/password/i)).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Erase permanently' }));
  await screen.findByRole('dialog', { name: 'Confirm it’s you' });
  return { router, erasures: () => asked.filter(({ path }) => path === '/api/patients/5/erasure') };
}

test('user without a password: confirms an erasure with a passkey', async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  vi.stubGlobal('navigator', {
    userAgent: navigator.userAgent,
    language: 'en-US',
    languages: ['en-US'],
    credentials: {
      get: async () => ({
        id: 'AAAA',
        rawId: new ArrayBuffer(3),
        type: 'public-key',
        authenticatorAttachment: 'platform',
        response: {
          authenticatorData: new ArrayBuffer(3),
          clientDataJSON: new ArrayBuffer(3),
          signature: new ArrayBuffer(3),
        },
        getClientExtensionResults: () => ({}),
      }),
    },
  });
  const { router, erasures } = await erase([passkey]);
  expect(screen.getByText('Use your passkey to continue.')).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Use a passkey' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/patient-list'));
  expect(erasures().map(({ body }) => body)).toEqual([{ reason: 'asked' }, { reason: 'asked' }]);
});

test('user with neither password nor passkey: is asked to sign in again, and nothing is erased', async () => {
  const { router, erasures } = await erase([]);
  const again = 'To continue, log out, sign in again, and come back here within five minutes.';
  expect(screen.getByText(again)).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
  const cancel = screen.getAllByRole('button', { name: 'Cancel' }).at(-1);
  if (cancel) await userEvent.click(cancel);
  await waitFor(() => expect(screen.queryByText(again)).toBeNull());
  expect(screen.getByRole('dialog', { name: 'Erase all data of Mia Park?' })).toBeDefined();
  expect(router.state.location.pathname).toBe('/patient');
  expect(erasures()).toHaveLength(1);
});
