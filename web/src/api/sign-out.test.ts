import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accessToken, fakeServer, problem } from '../testing/server.ts';
import { toastQueue } from '../ui/toast.ts';
import { startSignIn } from './sign-in.ts';
import { endSignIn, unsentSignOut } from './sign-out.ts';

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const shown = () => toastQueue.get().map(({ text }) => text);

test('sign-out that the server does not get: is shown, and repeated until it arrives @LOGOUT-1 @THANKS-1', async () => {
  const server = fakeServer({ 'POST /api/auth/logout': () => problem(503, 'unavailable') });
  startSignIn('staff', accessToken());
  await endSignIn();
  expect(shown()).toEqual([unsentSignOut]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(server.asked).toHaveLength(2);
  expect(shown()).toEqual([unsentSignOut]);

  server.handlers['POST /api/auth/logout'] = () => undefined;
  dispatchEvent(new Event('online'));
  await vi.advanceTimersByTimeAsync(0);
  expect(server.asked).toHaveLength(3);
  expect(shown()).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.asked).toHaveLength(3);
});
