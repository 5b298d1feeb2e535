import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { ConfirmIdentityDialog } from './ConfirmIdentityDialog.tsx';
import { Passkeys } from './Passkeys.tsx';

afterEach(() => void vi.unstubAllGlobals());

test('ways to confirm that could not be loaded: the dialog says so, and can be closed or loaded again', async () => {
  let isDown = true;
  fakeServer({
    'GET /api/account/second-factor': () =>
      isDown
        ? problem(422, 'invalid')
        : { hasPassword: true, hasAuthenticator: false, passkeys: [], recoveryCodesLeft: 0, required: null },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  const done: boolean[] = [];
  renderScreen(<ConfirmIdentityDialog onDone={(isConfirmed) => done.push(isConfirmed)} />);
  const again = await screen.findByRole('button', { name: 'Try Again' });
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(done).toEqual([false]);
  isDown = false;
  await userEvent.click(again);
  expect(await screen.findByRole('button', { name: 'Confirm' })).toBeDefined();
});

test('pages of another origin: offer no passkey', async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  const passkeys = [{ passkeyId: 3, name: 'My passkey', createdAt: '2026-11-02T09:00:00.000Z', usedAt: null }];
  fakeServer({
    'GET /api/account/second-factor': () => ({
      hasPassword: true,
      authenticatorSince: null,
      passkeys,
      recoveryCodesLeft: 0,
    }),
    'GET /api/brand': () => ({ passkeyOrigin: 'https://visits.example.com' }),
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<ConfirmIdentityDialog onDone={() => undefined} />);
  expect(await screen.findByRole('button', { name: 'Confirm' })).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
});

test('passkeys in the account on pages of another origin: say where they are added', async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  const nothing = { readAgain: async () => undefined, onAdded: () => undefined, onChange: () => undefined };
  renderScreen(
    <Passkeys passkeys={[]} place={new URL('https://visits.example.com')} run={async () => undefined} {...nothing} />,
  );
  expect(
    await screen.findByText('Passkeys are added and used on visits.example.com only. Sign in there to add one.'),
  ).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Add a passkey' })).toBeNull();
});
