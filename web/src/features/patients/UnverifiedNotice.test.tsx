import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { UnverifiedNotice } from './UnverifiedNotice.tsx';

test('matches that could not be loaded: are not said to be none, and no new patient is made', async () => {
  let isDown = true;
  fakeServer({
    'GET /api/patients/7/matches': () => (isDown ? problem(422, 'invalid') : { data: [] }),
  });
  startSignIn('staff', accessToken({ roles: 'U' }));
  renderScreen(<UnverifiedNotice patientId={7} name="Ada Lee" email="" phones={[]} />);
  const keep = screen.getByRole<HTMLButtonElement>('button', { name: 'New patient' });
  const again = await screen.findByRole('button', { name: 'Try Again' });
  expect(screen.queryByText(/No other patient/)).toBeNull();
  expect(keep.disabled).toBe(true);
  isDown = false;
  await userEvent.click(again);
  expect(await screen.findByText(/No other patient/)).toBeDefined();
  await waitFor(() => expect(keep.disabled).toBe(false));
});
