import 'temporal-polyfill/global';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { upcomingVisit, upcomingVisits } from '../../testing/upcoming-visits.ts';
import { MyAppointmentsPage } from './MyAppointmentsPage.tsx';

afterEach(() => void vi.useRealTimers());

test('visit that was cancelled: its page does not read the visits again, since the sign-in may have ended with it', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  vi.stubGlobal('scrollTo', () => undefined);
  startSignIn('patient', accessToken({ roles: 'P' }));
  const { asked } = fakeServer({
    'GET /api/upcoming-appointments': () => upcomingVisits,
    [`POST /api/upcoming-appointments/${upcomingVisit.appointmentUid}/cancel`]: () => undefined,
  });
  const reads = () => asked.filter(({ path }) => path === '/api/upcoming-appointments').length;
  renderScreen(<MyAppointmentsPage />);
  await user.click(await screen.findByRole('button', { name: 'Cancel visit' }));
  await user.click(await screen.findByRole('button', { name: 'Yes, cancel it' }));
  expect(await screen.findByRole('heading', { name: 'Your visit is cancelled' })).toBeDefined();
  const before = reads();
  await vi.advanceTimersByTimeAsync(180_000);
  expect(reads()).toBe(before);

  await user.click(screen.getByRole('button', { name: 'See my other visits' }));
  expect(await screen.findByRole('heading', { name: 'Your visits' })).toBeDefined();
  expect(reads()).toBeGreaterThan(before);
});
