import { notifyAppointment } from '@roomside/contract/appointments/calls.ts';
import { downloadLedger } from '@roomside/contract/ledger/calls.ts';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { send, sendForFile } from '../api/send.ts';
import { startSignIn } from '../api/sign-in.ts';
import { renderScreen } from '../testing/render.tsx';
import { accessToken, fakeServer } from '../testing/server.ts';
import { LoadingBar } from './LoadingBar.tsx';

const query = { from: '2031-01-01', to: '2031-01-31' } as const;

test.each([
  ['a call', () => send(notifyAppointment, { params: { appointmentId: 1 } })],
  ['a download', () => sendForFile(downloadLedger, { query })],
])('loading bar: is shown while %s is pending @MENU-5', async (_, ask) => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  fakeServer({
    'POST /api/appointments/1/notify': () => held,
    'GET /api/ledger/csv': () => held,
  });
  startSignIn('staff', accessToken());
  renderScreen(<LoadingBar />);
  expect(screen.queryByRole('progressbar')).toBeNull();
  const asked = ask();
  expect(await screen.findByRole('progressbar', { name: 'Loading…' })).toBeDefined();
  answer();
  await asked;
  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
});
