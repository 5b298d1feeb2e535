import 'temporal-polyfill/global';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../../testing/server.ts';
import { toast, toastQueue } from '../../ui/toast.ts';
import { CompanyListPage } from './CompanyListPage.tsx';
import { blankCompany } from './company-form.ts';

const user = userEvent.setup();
afterEach(() => {
  vi.unstubAllGlobals();
  for (const { key } of toastQueue.get()) toast.dismiss(key);
});

const stored = {
  ...blankCompany('2026-11-21'),
  companyId: 5,
  companyUid: 'c5',
  version: 7,
  companyName: 'Fjord Clinic',
  secondFactorFrom: '2026-12-01',
};

/** The list with a company that has records, and the bodies that were saved. `isStale`: the first save is refused. */
function openList(status: string, isStale = false) {
  const saved: unknown[] = [];
  fakeServer({
    'GET /api/companies': () => ({
      data: [{ ...stored, created: '2026-01-01T00:00:00.000Z', status: saved.length > 0 ? 'Disabled' : status }],
      total: 1,
    }),
    'GET /api/companies/5': () => ({ ...stored, version: 7 + saved.length }),
    'DELETE /api/companies/5': () => problem(409, 'company-has-records'),
    'PUT /api/companies': ({ body }) => {
      saved.push(body);
      return isStale && saved.length === 1 ? problem(409, 'stale') : { companyId: 5, version: 9 };
    },
  });
  startSignIn('staff', accessToken({ roles: 'Super' }));
  renderScreen(<CompanyListPage />);
  return saved;
}

async function remove() {
  await user.click(await screen.findByRole('button', { name: 'Delete Fjord Clinic' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
}

test.each([false, true])(
  'a company with records: is disabled in the same step (changed meanwhile: %s)',
  async (isStale) => {
    const saved = openList('Healthy', isStale);
    await remove();
    await screen.findByText('This company has patients or other records. Disable it instead.');
    const dialog = within(screen.getByRole('alertdialog'));
    expect(dialog.getByText('Fjord Clinic')).toBeDefined();
    expect(dialog.getByText('No one at this company can sign in, and visits in progress end.')).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Disable' }));
    await screen.findByText('The company was disabled. No one there can sign in.');
    expect(saved.at(-1)).toMatchObject({
      companyId: 5,
      version: isStale ? 8 : 7,
      disabled: true,
      companyName: 'Fjord Clinic',
      secondFactorFrom: '2026-12-01',
      pmtPassword: '',
    });
    expect(await screen.findByText('Disabled')).toBeDefined();
  },
);

test('a disabled company with records: is not disabled again', async () => {
  const saved = openList('Disabled');
  await remove();
  await screen.findByText('This company has patients or other records. Disable it instead.');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(saved).toEqual([]);
});
