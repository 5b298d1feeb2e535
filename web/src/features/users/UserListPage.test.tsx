import 'temporal-polyfill/global';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { storedUser } from '../../testing/users.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { UserListPage } from './UserListPage.tsx';

const user = userEvent.setup();
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

const doctor = { ...storedUser, roleId: 'D', role: { roleId: 'D', roleName: 'Doctor' } };

test.each([
  ['', false],
  [', also after a lost response', true],
])('a provider with records who is disabled instead: the list says how many appointments stay%s', async (_, isLost) => {
  const saved: unknown[] = [];
  const disabled = () => saved.length > 0;
  fakeServer({
    'GET /api/users': () => ({
      data: [{ ...doctor, disabled: disabled(), invited: false }],
      total: 1,
    }),
    'DELETE /api/users/12': () => problem(409, 'user-has-records'),
    'GET /api/users/12': () => ({ ...doctor, version: 3 + saved.length, disabled: disabled() }),
    'PUT /api/users': ({ body }) => {
      saved.push(body);
      if (isLost && saved.length === 1) return problem(409, 'stale');
      return { userId: 12, version: 4, invited: false, upcoming: 2 };
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<UserListPage />);
  await user.click(await screen.findByRole('button', { name: 'Delete Ida Holm' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  await screen.findByText(/Disable the user instead\./);
  await user.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Disable' }));
  await screen.findByText(
    'The user was disabled and signed out everywhere. 2 upcoming appointments stay with this provider. Move them to someone else.',
  );
  await waitFor(() => expect(screen.getByText('Disabled')).toBeDefined());
  expect(saved.at(-1)).toMatchObject({ version: isLost ? 4 : 3, disabled: true, roleId: 'D' });
});
