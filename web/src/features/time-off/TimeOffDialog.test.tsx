import 'temporal-polyfill/global';
import type { TimeOffRow } from '@roomside/contract/time-off/calls.ts';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { TimeOffDialog } from './TimeOffDialog.tsx';

const user = userEvent.setup();
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

const row: TimeOffRow = {
  timeOffId: 4,
  version: 2,
  userId: null,
  provider: null,
  firstDay: '2031-05-05',
  lastDay: '2031-05-09',
  reason: 'Move',
  appointments: 0,
};

const visit = {
  appointmentId: 9,
  patientId: 3,
  startDate: '2031-05-05T14:00:00.000Z',
  patient: { firstName: 'Bo', lastName: 'Lee' },
};

/** The dialog, whose save is refused as stale. `stored`: what is stored then. Returns what `onSaved` was called with. */
function open(stored: Partial<TimeOffRow>) {
  const onSaved = vi.fn();
  fakeServer({
    'GET /api/doctors': () => ({ data: [{ userId: 7, firstName: 'Ada', lastName: 'Lee' }] }),
    'GET /api/time-off': ({ query }) => ({ data: query['past'] ? [] : [{ ...row, version: 3, ...stored }] }),
    'GET /api/time-off/4/appointments': () => ({ data: [visit] }),
    'POST /api/time-off': () => problem(409, 'stale'),
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<TimeOffDialog row={row} onClose={() => undefined} onSaved={onSaved} />);
  return onSaved;
}

async function saveReason(reason: string) {
  const field = await screen.findByRole('textbox', { name: /^Reason/ });
  await user.clear(field);
  await user.type(field, reason);
  await user.click(screen.getByRole('button', { name: 'Save' }));
}
const conflict = 'Someone else has changed this in the meantime.';

test('a save whose response was lost: is recognized as stored, with the appointments in it', async () => {
  const onSaved = open({ reason: 'Move to Elm St', appointments: 1 });
  await saveReason(' Move to Elm St');
  expect(await screen.findByText('The record has been saved.')).toBeDefined();
  expect(onSaved.mock.calls).toEqual([[[visit]]]);
  expect(screen.queryByText(conflict)).toBeNull();
});

test('saved by someone else with another day: the conflict is shown', async () => {
  const onSaved = open({ reason: 'Holiday', lastDay: '2031-05-12' });
  await saveReason('Move to Elm St');
  expect(await screen.findByText(conflict)).toBeDefined();
  expect(screen.getByText('Reason is now “Holiday”.')).toBeDefined();
  expect(onSaved).not.toHaveBeenCalled();
});
