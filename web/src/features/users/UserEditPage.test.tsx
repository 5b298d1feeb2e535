import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { storedUser } from '../../testing/users.ts';
import { ensureTemporal } from '../../time/temporal.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { ResetPage } from '../auth/ResetPage.tsx';
import { UserEditPage } from './UserEditPage.tsx';

await ensureTemporal();
const user = userEvent.setup();
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

/**
 * The editor of a user, 0 = new, and the bodies that it saves. `later`: what differs when the user is read again. `isRefused`: the first
 * save is. `first`: what differs from the start.
 */
function openEditor(userId: number, isExternal: boolean, later: object = {}, isRefused = false, first: object = {}) {
  const saved: unknown[] = [];
  let reads = 0;
  fakeServer({
    'GET /api/roles': () => ({
      data: [
        { roleId: 'A', roleName: 'Administrator' },
        { roleId: 'D', roleName: 'Doctor' },
        { roleId: 'U', roleName: 'Staff' },
      ],
    }),
    'GET /api/doctors': () => ({ data: [{ userId: 3, firstName: 'Ana', lastName: 'Reyes' }] }),
    [`GET /api/users/${userId}`]: () => ({ ...storedUser, isExternal, ...first, ...(reads++ > 0 && later) }),
    [`POST /api/users/${userId}/invitation`]: () => undefined,
    [`POST /api/users/${userId}/disconnect`]: () => undefined,
    [`POST /api/users/${userId}/sign-out`]: () => undefined,
    'PUT /api/users': ({ body }) => {
      saved.push(body);
      if (isRefused && saved.length === 1) return problem(409, 'stale');
      return { userId: 12, version: 4, invited: false, upcoming: 'disabled' in later ? 3 : 0 };
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(
    <Routes>
      <Route path="/admin/user/edit/:id" element={<UserEditPage roleId="U" />} />
    </Routes>,
    `/admin/user/edit/${userId}`,
  );
  return saved;
}
const passwordField = () => screen.findByLabelText<HTMLInputElement>('Password', { selector: 'input' });
const save = () => user.click(screen.getByRole('button', { name: 'Save' }));

test('password: 8 to 100 characters; needed by the link of a mail, left out for a new user; not there for an external one @VALID-9', async () => {
  const saved = openEditor(0, false);
  const field = await passwordField();
  expect(screen.getByText("The user will pick a password if it's not provided.")).toBeDefined();
  await user.type(screen.getByLabelText(/^First name/, { selector: 'input' }), 'Ida');
  await user.type(screen.getByLabelText(/^Last name/, { selector: 'input' }), 'Holm');
  await user.type(screen.getByRole('textbox', { name: 'Email' }), 'ida@example.test');
  await user.click(field);
  await user.paste('x'.repeat(7));
  await save();
  expect(await screen.findByText('At least 8 characters')).toBeDefined();
  expect(saved).toEqual([]);
  await user.clear(field);
  await user.click(field);
  await user.paste('x'.repeat(101));
  expect(field.value).toHaveLength(100);
  await user.clear(field);
  await save();
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]).not.toHaveProperty('passwordString');
  cleanup();

  openEditor(12, false);
  expect(await passwordField()).toBeDefined();
  cleanup();
  for (const [hasPassword, words] of [
    [false, 'This user signs in with an external account and has no password here.'],
    [true, 'This user signs in with an external account. The password from before stays valid.'],
  ] as const) {
    openEditor(12, true, {}, false, { hasPassword });
    expect(await screen.findByText(words)).toBeDefined();
    expect(screen.queryByLabelText('Password', { selector: 'input' })).toBeNull();
    cleanup();
  }

  const { asked } = fakeServer({});
  renderScreen(<ResetPage />);
  await user.click(await screen.findByRole('button', { name: 'Save and sign in' }));
  const own = await screen.findByLabelText(/^New password/, { selector: 'input' });
  await waitFor(() => expect(own.getAttribute('aria-invalid')).toBe('true'));
  expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('another role than a provider’s: what was typed for a provider is not checked and not saved', async () => {
  const saved = openEditor(12, false);
  const choose = async (name: string) => {
    await user.click(await screen.findByRole('combobox', { name: /^Role/ }));
    await user.click(await screen.findByRole('option', { name }));
  };
  await choose('Doctor');
  await user.type(await screen.findByLabelText(/^NPI/), '12345');
  await save();
  expect(await screen.findByText('Invalid')).toBeDefined();
  expect(saved).toEqual([]);
  await choose('Staff');
  await save();
  await waitFor(() => expect(saved).toMatchObject([{ roleId: 'U', npi: '', selfPayFee: '' }]));
});

test.each([
  { button: 'Email a link to choose a new password', yes: 'Send', isExternal: false },
  { button: 'Disconnect the external account', yes: 'Disconnect the external account', isExternal: true },
])(
  '$button: a later save keeps what another administrator has stored meanwhile',
  async ({ button, yes, isExternal }) => {
    const saved = openEditor(12, isExternal, { version: 4, disabled: true, roleId: 'D' });
    await user.type(await screen.findByRole('textbox', { name: /^Phone/ }), '2125550100');
    await user.click(screen.getByRole('button', { name: button }));
    await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: yes }));
    await waitFor(() => expect(screen.getByRole('switch', { name: /^Disabled/ })).toHaveProperty('checked', true));
    await save();
    await waitFor(() =>
      expect(saved).toMatchObject([{ version: 4, disabled: true, roleId: 'D', phone: '2125550100' }]),
    );
  },
);

test('user saved by two administrators: the other role is offered, and the other providers are kept', async () => {
  const saved = openEditor(12, false, { version: 4, roleId: 'D', notifyForUsers: [{ userId: 3 }] }, true);
  await user.click(await screen.findByRole('combobox', { name: /^Role/ }));
  await user.click(await screen.findByRole('option', { name: 'Administrator' }));
  await save();
  expect(await screen.findByText('Role is now “Doctor”.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Use the other role' }));
  await save();
  await waitFor(() => expect(saved[1]).toMatchObject({ version: 4, roleId: 'D', notifyForUsers: [{ userId: 3 }] }));
});

test('a save whose response was lost: is recognized as stored, also with a fee that a role without one hides', async () => {
  const saved = openEditor(12, false, { version: 4 }, true);
  const choose = async (name: string) => {
    await user.click(await screen.findByRole('combobox', { name: /^Role/ }));
    await user.click(await screen.findByRole('option', { name }));
  };
  await choose('Doctor');
  await user.type(await screen.findByLabelText(/^Self-pay fee/), '95.5');
  await choose('Staff');
  await save();
  expect(await screen.findByText('Updated.')).toBeDefined();
  expect(screen.queryByText('Someone else has changed this in the meantime.')).toBeNull();
  expect(saved.length).toBeGreaterThan(0);
});

test('a provider is disabled and the response is lost: the page still says how many appointments stay', async () => {
  const saved = openEditor(12, false, { version: 4, disabled: true }, true);
  await user.click(await screen.findByRole('switch', { name: /^Disabled/ }));
  await save();
  expect(
    await screen.findByText('Updated. 3 upcoming appointments stay with this provider. Move them to someone else.'),
  ).toBeDefined();
  expect(saved).toMatchObject([
    { version: 3, disabled: true },
    { version: 4, disabled: true },
  ]);
});

test('user whose invitation is open: the questions say that its link ends, and after it the page says so', async () => {
  const open = { hasPassword: false, invitedAt: '2026-01-02T10:00:00.000Z' };
  const ended = { hasPassword: false, invitedAt: null, invitationEndedAt: '2026-01-03T10:00:00.000Z' };
  openEditor(12, false, ended, false, open);
  expect(await screen.findByText(/^No password yet\. The invitation was sent /)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Sign out on all devices' }));
  const question = within(await screen.findByRole('alertdialog'));
  expect(question.getByText(/^The link of the open invitation stops working, too\./)).toBeDefined();
  await user.click(question.getByRole('button', { name: 'Sign out on all devices' }));
  expect(await screen.findByText(/^No password yet\. The invitation’s link stopped working /)).toBeDefined();
});
