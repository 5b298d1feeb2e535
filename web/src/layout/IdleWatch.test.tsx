import { act, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../api/sign-in.ts';
import { hub } from '../hub/hub.ts';
import { renderScreen } from '../testing/render.tsx';
import { accessToken, fakeServer } from '../testing/server.ts';
import { staffSignIn } from '../testing/staff-sign-in.ts';
import { IdleWatch } from './IdleWatch.tsx';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('idle time: ends the hub before the sign-in, so that no page is read with a token that is refused', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const order: string[] = [];
  vi.spyOn(hub, 'stop').mockImplementation(async () => void order.push('hub'));
  fakeServer({
    'GET /api/sign-in': () => staffSignIn,
    'POST /api/auth/logout': () => void order.push('server'),
  });
  startSignIn('staff', accessToken({ roles: 'U' }));
  const { findByRole } = renderScreen(<IdleWatch />);
  // Once the sign-in's idle time is known.
  await act(async () => vi.advanceTimersByTimeAsync(29.5 * 60_000));
  await findByRole('alertdialog', { name: 'Are you still there?' });
  await act(async () => vi.advanceTimersByTimeAsync(31_000));
  await waitFor(() => expect(order.slice(0, 2)).toEqual(['hub', 'server']));
});
