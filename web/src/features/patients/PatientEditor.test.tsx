import 'temporal-polyfill/global';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { patterns } from '../../paths.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { PatientEditPage } from './PatientEditPage.tsx';

const user = userEvent.setup();
afterEach(() => vi.unstubAllGlobals());

const stored = {
  patientId: 9,
  version: 3,
  firstName: 'Ida',
  lastName: 'Holm',
  doB: '1980-02-03',
  email: 'ida@example.test',
  externalId: '',
  patientPhones: [{ phone: '2125550100' }],
  verified: true,
};

/** The editor of the patient; `answer` answers its saves. Returns their bodies. */
function openEditor(answer: () => unknown, read: () => object = () => stored) {
  const saved: unknown[] = [];
  fakeServer({
    'GET /api/patients/9': read,
    'POST /api/patients': ({ body }) => {
      saved.push(body);
      return answer();
    },
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(
    <Routes>
      <Route path={patterns.patientEdit} element={<PatientEditPage />} />
    </Routes>,
    '/patient-edit/9',
  );
  return saved;
}
const phone = () => screen.findByRole<HTMLInputElement>('textbox', { name: /^Phone/ });
const save = () => user.click(screen.getByRole('button', { name: 'Save' }));

test('text typed while the patient is saved: stays, and the next save stores it', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const saved = openEditor(() => promise);
  await user.type(await screen.findByRole('textbox', { name: /^External/i }), 'X1');
  await save();
  await waitFor(() => expect(saved).toHaveLength(1));
  await user.type(await phone(), '{Backspace}9');
  resolve({ patientId: 9, version: 4 });
  await screen.findByText('The record has been saved.');
  expect((await phone()).value).toBe('(212) 555-0109');
  await save();
  await waitFor(() => expect(saved).toHaveLength(2));
  expect(saved[1]).toMatchObject({ version: 4, externalId: 'X1', patientPhones: [{ phone: '2125550109' }] });
});

test('the response of a save was lost: the next one finds it stored, and says that it was saved', async () => {
  let current: object = stored;
  const answers = [
    () => {
      current = { ...stored, version: 4, externalId: 'X1' };
      throw new TypeError('Failed to fetch');
    },
    () => problem(409, 'stale'),
    () => ({ patientId: 9, version: 5 }),
  ];
  const saved = openEditor(
    () => answers[saved.length - 1]?.(),
    () => current,
  );
  await user.type(await screen.findByRole('textbox', { name: /^External/i }), 'X1');
  await save();
  await screen.findByRole('alert');
  await save();
  await screen.findByText('The record has been saved.');
  expect(screen.queryByRole('alert')).toBeNull();
  await save();
  await waitFor(() => expect(saved).toHaveLength(3));
  expect(saved[2]).toMatchObject({ version: 4, externalId: 'X1' });
});
