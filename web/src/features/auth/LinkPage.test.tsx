import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rememberReturn } from '../../api/sign-in.ts';
import { type Asked, accessToken, fakeServer, problem } from '../../testing/server.ts';
import { LinkPage } from './LinkPage.tsx';
import '../../testing/timeouts.ts';

const uid = '0123456789abcdef0123456789abcdef';
const signIn = ({ body }: Asked) =>
  (body as { user: { email: string } }).user.email === 'aB3'
    ? { signedIn: true, accessToken: accessToken({ roles: 'P', appointment: uid }) }
    : problem(401, 'wrong-code');
const user = userEvent.setup();

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  location.hash = '#/link';
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('access code: is required, at most 32 characters, and opens the visit @CODE-1 @VALID-1', async () => {
  const { asked } = fakeServer({ 'POST /api/auth/login': signIn });
  render(<LinkPage />);
  expect(screen.getByText('Patient Log In')).toBeDefined();
  expect(screen.getByRole('heading', { name: 'Welcome' })).toBeDefined();
  const code = screen.getByLabelText<HTMLInputElement>('Access Code (Case Sensitive)');
  const submit = screen.getByRole('button', { name: 'Submit' });

  await user.click(submit);
  expect(await screen.findByText('Required')).toBeDefined();
  expect(asked).toHaveLength(0);
  await user.type(code, 'x'.repeat(40));
  expect(code.value).toHaveLength(32);

  await user.click(submit);
  expect((await screen.findByRole('alert')).textContent).toContain('This access code isn’t valid.');
  await user.clear(code);
  await user.type(code, 'aB3');
  await user.click(submit);
  await waitFor(() => expect(location.hash).toBe(`#/appointment/${uid}/pt`));
  expect(asked.at(-1)?.body).toEqual({ isPatient: true, user: { email: 'aB3' } });
  cleanup();

  // A code in the address signs in without a click.
  location.hash = '#/link/aB3';
  render(<LinkPage code="aB3" />);
  await waitFor(() => expect(location.hash).toBe(`#/appointment/${uid}/pt`));
});

test('refused code of the address: stays in the field', async () => {
  fakeServer({ 'POST /api/auth/login': signIn });
  render(<LinkPage code="old" />);
  expect(await screen.findByRole('alert')).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>('Access Code (Case Sensitive)').value).toBe('old');
});

test('page of a visit without a sign-in: the form says why it is shown; on the way from elsewhere it does not', () => {
  const notice = () => screen.queryByRole('status')?.textContent ?? '';
  rememberReturn(`/patient-payment/${uid}`, 'patient');
  render(<LinkPage />);
  expect(notice()).toContain('If your visit was moved or cancelled, use the latest message from your clinic.');
  cleanup();
  rememberReturn('/waiting-room', 'patient');
  render(<LinkPage />);
  expect(notice()).toBe('');
});
