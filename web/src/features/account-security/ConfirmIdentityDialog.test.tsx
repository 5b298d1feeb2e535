import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { ConfirmIdentityDialog } from './ConfirmIdentityDialog.tsx';

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
