import 'temporal-polyfill/global';
import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { invalidate } from '../../api/use-call.ts';
import { useIsClinicOpen } from '../../api/use-closed.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { AccountPage } from './AccountPage.tsx';

const account = {
  userId: 7,
  version: 1,
  firstName: 'Ada',
  lastName: 'Lee',
  email: 'ada@example.test',
  phone: '2125550143',
  notificationType: 1,
  notifyForUsers: [],
  notifyOfOwn: false,
};
const device = {
  signInId: 1,
  browser: 'Chrome',
  system: 'Linux',
  network: '127.0.x.x',
  isThis: true,
  signedInAt: '2026-11-27T09:00:00Z',
  lastUsedAt: '2026-11-27T09:00:00Z',
};
const factor = { hasPassword: false, authenticatorSince: null, passkeys: [], recoveryCodesLeft: 0 };

test('a user without a password: is asked to confirm a new phone, and is mailed a link to choose a password', async () => {
  const { asked } = fakeServer({
    'GET /api/account': () => account,
    'GET /api/account/second-factor': () => factor,
    'GET /api/account/sign-ins': () => ({ data: [] }),
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

test.each([
  ['calendar', 'GET /api/users/7/calendar'],
  ['devices', 'GET /api/account/sign-ins'],
])('slow read of the %s: sections appear together, so that none moves away from the pointer', async (_, slow) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answers: Record<string, unknown> = {
    'GET /api/users/7/calendar': { feed: null, external: null },
    'GET /api/account/sign-ins': { data: [device] },
  };
  const { asked } = fakeServer({
    'GET /api/account': () => account,
    'GET /api/account/second-factor': () => factor,
    'GET /api/sign-in': () => ({ company: { companyId: 1, timeZone: 'America/New_York' } }),
    ...Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, () => answer])),
    [slow]: () => promise.then(() => answers[slow]),
  });
  startSignIn('staff', accessToken());
  const incomplete: string[] = [];
  const shown = new MutationObserver(() => {
    const { textContent } = document.body;
    const isShown = (text: string) => textContent.includes(text);
    if (isShown('About you') && !(isShown('Chrome on Linux') && isShown('Create address')))
      incomplete.push(textContent);
  });
  shown.observe(document.body, { subtree: true, childList: true });
  onTestFinished(() => shown.disconnect());
  renderScreen(<AccountPage />);
  await waitFor(() => expect(asked.map(({ method, path }) => `${method} ${path}`)).toContain(slow));
  // Long enough for a page that shows the others before.
  setTimeout(resolve, 300);
  expect(await screen.findByText('Chrome on Linux')).toBeDefined();
  expect(await screen.findByRole('button', { name: 'Create address' })).toBeDefined();
  expect(incomplete).toEqual([]);
  // Each is read once.
  expect(asked.filter(({ path }) => slow.endsWith(path))).toHaveLength(1);
});

/** The page, after another one has read that the license has expired. */
function Renewable() {
  const client = useQueryClient();
  const isOpen = useIsClinicOpen();
  const [isShown, setShown] = useState(false);
  return (
    <>
      <p>{isOpen ? 'Open' : 'Expired'}</p>
      <button type="button" onClick={() => setShown(true)}>
        My Account
      </button>
      <button type="button" onClick={() => void invalidate(client, [getSignIn])}>
        Renew
      </button>
      {isShown && <AccountPage />}
    </>
  );
}

test('license renewed while My Account is open: what is typed stays while the calendar is read', async () => {
  let expired = true;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { asked } = fakeServer({
    'GET /api/account': () => account,
    'GET /api/account/second-factor': () => factor,
    'GET /api/account/sign-ins': () => ({ data: [device] }),
    'GET /api/sign-in': () => ({ company: { companyId: 1, timeZone: 'America/New_York', expired } }),
    'GET /api/users/7/calendar': () => promise.then(() => ({ feed: null, external: null })),
  });
  startSignIn('staff', accessToken());
  renderScreen(<Renewable />);
  await screen.findByText('Expired');
  await userEvent.click(screen.getByRole('button', { name: 'My Account' }));
  const name = await screen.findByLabelText<HTMLInputElement>('First name', { selector: 'input', exact: false });
  await userEvent.type(name, ' May');
  expired = false;
  await userEvent.click(screen.getByRole('button', { name: 'Renew' }));
  await waitFor(() => expect(asked.map(({ path }) => path)).toContain('/api/users/7/calendar'));
  expect(name.isConnected && name.value).toBe('Ada May');
  resolve();
  await screen.findByRole('button', { name: 'Create address' });
  expect(name.isConnected && name.value).toBe('Ada May');
});
