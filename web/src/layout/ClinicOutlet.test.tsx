import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { expect, test } from 'vitest';
import { startSignIn } from '../api/sign-in.ts';
import { DataPage } from '../features/data-export/DataPage.tsx';
import { to } from '../paths.ts';
import { renderScreen } from '../testing/render.tsx';
import { accessToken, fakeServer } from '../testing/server.ts';
import { ClinicOutlet } from './ClinicOutlet.tsx';

test('an expired license: an administrator comes from any page to the export, without the settings of how long records are kept', async () => {
  const { asked } = fakeServer({
    'GET /api/sign-in': () => ({
      company: {
        companyId: 1,
        companyName: 'River Clinic',
        expirationDate: '2026-01-01',
        supportEmail: '',
        expired: true,
      },
    }),
    'GET /api/data-export': () => ({ export: null }),
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(
    <Routes>
      <Route element={<ClinicOutlet />}>
        <Route path={to.patientList()} element="The patients" />
        <Route path={to.adminData()} element={<DataPage />} />
      </Route>
    </Routes>,
    to.patientList(),
  );
  await userEvent.click(await screen.findByRole('link', { name: 'Download the clinic’s data' }));
  expect(await screen.findByRole('heading', { name: 'Clinic data' })).toBeDefined();
  await waitFor(() => expect(asked.some(({ path }) => path.includes('export'))).toBe(true));
  expect(screen.queryByText('The patients')).toBeNull();
  expect(asked.filter(({ path }) => path.includes('retention'))).toEqual([]);
});
