import 'temporal-polyfill/global';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { TimeOffPage } from './TimeOffPage.tsx';

test('no closures: the button for past ones keeps the focus while they are read, and no text says that there are none', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  fakeServer({
    'GET /api/time-off': async ({ query }) => {
      if (query['past']) await promise;
      return { data: [] };
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<TimeOffPage />);
  const button = await screen.findByRole('button', { name: 'Show past closures and leave' });
  await userEvent.click(button);
  expect(document.activeElement).toBe(button);
  expect(button.textContent).toBe('Show upcoming closures and leave');
  expect(screen.queryByText(/^No /)).toBeNull();
  resolve();
  expect(await screen.findByText(/^No /)).toBeDefined();
  expect(document.activeElement).toBe(button);
});
