import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { AccountPage } from './AccountPage.tsx';

test('a user without a password: is asked to confirm a new phone, and is mailed a link to choose a password', async () => {
  const { asked } = fakeServer({
    'GET /api/account': () => ({
      ...{ userId: 7, version: 1, firstName: 'Ada', lastName: 'Lee', email: 'ada@example.test', phone: '2125550143' },
      ...{ notificationType: 1, notifyForUsers: [], notifyOfOwn: false },
    }),
    'GET /api/account/second-factor': () => ({
      ...{ hasPassword: false, authenticatorSince: null, passkeys: [], recoveryCodesLeft: 0 },
    }),
    'PUT /api/account': () => problem(403, 'confirm-identity'),
    'POST /api/auth/request-reset': () => undefined,
  });
  startSignIn('staff', accessToken({ roles: 'U' }));
  renderScreen(<AccountPage />);
  await userEvent.click(await screen.findByRole('button', { name: 'Email me a link' }));
  await waitFor(() =>
    expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({ email: 'ada@example.test' }),
  );
  const phone = screen.getByLabelText<HTMLInputElement>('Phone', { selector: 'input' });
  await userEvent.clear(phone);
  await userEvent.type(phone, '2125550144');
  expect(screen.queryByLabelText(/^Current password/, { selector: 'input' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Confirm it’s you')).toBeDefined();
});
