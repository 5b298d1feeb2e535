import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { ensureTemporal } from '../../time/temporal.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { RuleEditPage } from './RuleEditPage.tsx';
import { blankRule } from './rule-form.ts';

await ensureTemporal();
const user = userEvent.setup();
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

const stored = {
  ...blankRule('2027-03-01', 3),
  ruleId: 5,
  version: 2,
  description: 'Mornings',
  apptRulesTimes: [{ startTime: '09:00', endTime: '12:00' }],
  created: '2026-01-01T00:00:00.000Z',
  mayEdit: true,
};
const outside = {
  appointmentId: 9,
  patientId: 4,
  patient: { firstName: 'Ada', lastName: 'Nguyen' },
  doctorId: 3,
  doctor: { firstName: 'Ana', lastName: 'Reyes' },
  startDate: '2027-03-01T16:00:00.000Z',
  endDate: '2027-03-01T16:30:00.000Z',
};

test('a save whose response was lost: sent again, it shows the appointments that are outside now', async () => {
  const keys: string[] = [];
  fakeServer({
    'GET /api/schedule/settings': () => ({
      physicians: [{ userId: 3, firstName: 'Ana', lastName: 'Reyes' }],
      settings: { startHour: 8, endHour: 17, slot: 15, duration: 30, timeZone: 'America/New_York' },
    }),
    'GET /api/rules/5': () => stored,
    'POST /api/rules': ({ headers }) => {
      const key = headers.get('idempotency-key') ?? '';
      keys.push(key);
      if (keys.length === 1) throw new TypeError('Failed to fetch');
      // As the server: the first result for the first key, and another change of the stored version is refused.
      return key === keys[0] ? { ruleId: 5, version: 3, outside: [outside] } : problem(409, 'stale');
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(
    <Routes>
      <Route path="/admin/scheduling/edit/:ruleId" element={<RuleEditPage />} />
    </Routes>,
    '/admin/scheduling/edit/5',
  );
  const description = await screen.findByRole('textbox', { name: /^Description/ });
  await user.type(description, ' only');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('You seem offline. Check your connection and try again.');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const dialog = await screen.findByRole('dialog', { name: '1 booked appointment now falls outside the schedule' });
  expect(within(dialog).getByRole('link').textContent).toContain('Nguyen, Ada');
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).not.toBe('');
});
