import 'temporal-polyfill/global';
import type { SecondFactor } from '@roomside/contract/account-security/calls.ts';
import { refusals } from '@roomside/contract/refusals.ts';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { TwoStepSection } from './TwoStepSection.tsx';

const lineDrops = () => {
  throw new TypeError('Failed to fetch');
};
const offline = 'You seem offline. Check your connection and try again.';
const lost = 'Create your recovery codes again';
const passkey = { passkeyId: 3, name: 'My passkey', createdAt: '2026-11-02T09:00:00.000Z', usedAt: null };

/** A server that executes every call. `drops` says whose next response does not arrive. */
function serverWith(initial: Partial<SecondFactor> = {}) {
  const factor: SecondFactor = {
    authenticatorSince: null,
    hasPassword: true,
    recoveryCodesLeft: 0,
    passkeys: [],
    ...initial,
  };
  const drops = new Set<string>();
  let sets = 0;
  /** What a call returns, or a dropped line after it was executed. */
  const answer = (name: string, result?: unknown) => (drops.delete(name) ? lineDrops() : result);
  const server = fakeServer({
    'GET /api/account/second-factor': () => answer('read', { ...factor }),
    'POST /api/account/authenticator': () => ({ secret: 'ABCDEFGH', uri: 'otpauth://totp/Roomside' }),
    'POST /api/account/authenticator/confirm': () => {
      factor.authenticatorSince = '2026-11-23T10:00:00.000Z';
      return answer('confirm');
    },
    'POST /api/account/recovery-codes': () => {
      factor.recoveryCodesLeft = 10;
      sets += 1;
      return answer('codes', { codes: Array.from({ length: 10 }, (_, i) => `set-${sets}-${i}`) });
    },
    'POST /api/account/passkeys/options': () => ({
      options: {
        challenge: 'AAAA',
        rp: { name: 'Roomside', id: 'localhost' },
        user: { id: 'AAAA', name: 'ada@example.test', displayName: 'Ada Lee' },
        pubKeyCredParams: [],
      },
    }),
    'POST /api/account/passkeys': () => {
      factor.passkeys = [passkey];
      return answer('passkey', { passkeyId: 3 });
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<TwoStepSection />);
  const count = (path: string) => server.asked.filter((one) => one.method === 'POST' && one.path === path).length;
  return { ...server, drops, count };
}

const click = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
async function enterCode() {
  await click('Set up authenticator app');
  await userEvent.type(await screen.findByLabelText(/^Code/), '123456');
  await click('Turn on');
}

test('new recovery codes whose response is lost: the dialog says so and creates them again', async () => {
  const { drops, handlers } = serverWith();
  drops.add('codes');
  await enterCode();
  expect(await screen.findByRole('alertdialog', { name: lost })).toBeDefined();
  expect(screen.getByText(/^Your new recovery codes didn’t arrive\./)).toBeDefined();
  // Lost again, and then an error that says that nothing was created.
  drops.add('codes');
  await click('Create codes again');
  expect(await screen.findByText(offline)).toBeDefined();
  const works = handlers['POST /api/account/recovery-codes'];
  handlers['POST /api/account/recovery-codes'] = () => problem(422, 'no-second-factor');
  await click('Create codes again');
  expect(screen.getByRole('alertdialog', { name: lost })).toBeDefined();
  if (works) handlers['POST /api/account/recovery-codes'] = works;
  await click('Create codes again');
  expect(await screen.findByText('set-3-0')).toBeDefined();
  expect(screen.queryByText(lost)).toBeNull();
  await click('I’ve saved them');
  expect(await screen.findByText(/^10 of 10 left\./)).toBeDefined();
});

test('new recovery codes that were asked for and lost: can be left out, and are then counted', async () => {
  const { drops } = serverWith({ authenticatorSince: '2026-11-02T09:00:00.000Z' });
  drops.add('codes');
  await click('Create new recovery codes');
  await screen.findByRole('alertdialog', { name: lost });
  await click('Not now');
  await waitFor(() => expect(screen.queryByText(lost)).toBeNull());
  expect(await screen.findByText(/^10 of 10 left\./)).toBeDefined();
});

test('recovery codes that are refused: a toast says why', async () => {
  const { handlers } = serverWith({ authenticatorSince: '2026-11-02T09:00:00.000Z' });
  handlers['POST /api/account/recovery-codes'] = () => problem(422, 'no-second-factor');
  await click('Create new recovery codes');
  expect(await screen.findByText(refusals['no-second-factor'].text)).toBeDefined();
  expect(screen.queryByText(lost)).toBeNull();
});

test('authenticator app that was added with a lost response: goes on to the recovery codes', async () => {
  const { drops, count } = serverWith();
  drops.add('confirm');
  await enterCode();
  expect(await screen.findByText('set-1-0')).toBeDefined();
  expect(screen.getByText('The authenticator app was added.')).toBeDefined();
  expect(count('/api/account/authenticator/confirm')).toBe(1);
});

test('authenticator app whose state cannot be read after a lost response: is found when the dialog is closed', async () => {
  const { drops, handlers, count } = serverWith({ authenticatorSince: '2026-11-02T09:00:00.000Z' });
  await click('Set up another phone');
  const reads = handlers['GET /api/account/second-factor'];
  handlers['GET /api/account/second-factor'] = () => problem(500, 'server-error');
  drops.add('confirm');
  await userEvent.type(await screen.findByLabelText(/^Code/), '123456');
  await click('Turn on');
  expect(await screen.findByText(offline)).toBeDefined();
  if (reads) handlers['GET /api/account/second-factor'] = reads;
  await click('Cancel');
  expect(await screen.findByText('set-1-0')).toBeDefined();
  expect(count('/api/account/recovery-codes')).toBe(1);
});

test('authenticator app that was not added: closing its dialog offers no recovery codes', async () => {
  const { asked, count } = serverWith({ authenticatorSince: '2026-11-02T09:00:00.000Z' });
  await click('Set up another phone');
  await screen.findByLabelText(/^Code/);
  const reads = () => asked.filter(({ method }) => method === 'GET').length;
  const before = reads();
  await click('Cancel');
  await waitFor(() => expect(reads()).toBeGreaterThan(before));
  expect(count('/api/account/recovery-codes')).toBe(0);
});

test('dialog that is closed while the code is sent: creates the recovery codes once', async () => {
  const { handlers, count } = serverWith();
  const confirm = handlers['POST /api/account/authenticator/confirm'];
  const { promise, resolve } = Promise.withResolvers<void>();
  handlers['POST /api/account/authenticator/confirm'] = async (one) => {
    const result = confirm?.(one);
    await promise;
    return result;
  };
  await enterCode();
  await click('Cancel');
  expect(await screen.findByText('set-1-0')).toBeDefined();
  resolve();
  await click('I’ve saved them');
  expect(await screen.findByText(/^10 of 10 left\./)).toBeDefined();
  expect(count('/api/account/recovery-codes')).toBe(1);
});

test('passkey that was added with a lost response: goes on to the recovery codes', async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  vi.stubGlobal('navigator', {
    userAgent: navigator.userAgent,
    language: 'en-US',
    languages: ['en-US'],
    credentials: {
      create: async () => ({
        id: 'AAAA',
        rawId: new ArrayBuffer(3),
        type: 'public-key',
        authenticatorAttachment: 'platform',
        response: { attestationObject: new ArrayBuffer(3), clientDataJSON: new ArrayBuffer(3) },
        getClientExtensionResults: () => ({}),
      }),
    },
  });
  const { drops } = serverWith();
  drops.add('passkey');
  await click('Add a passkey');
  await click('Continue');
  expect(await screen.findByText('set-1-0')).toBeDefined();
  expect(screen.getByText('The passkey was added.')).toBeDefined();
});
