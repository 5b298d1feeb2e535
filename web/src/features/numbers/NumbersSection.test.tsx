import type { ResultOf } from '@roomside/contract/call.ts';
import type { getNumbers } from '@roomside/contract/numbers/calls.ts';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { NumbersSection } from './NumbersSection.tsx';

afterEach(() => vi.unstubAllGlobals());

const counts = { visits: 0, missed: 0, cancelled: 0, waitMedian: null, waitP90: null };
const numbers: ResultOf<typeof getNumbers> = {
  from: '2026-11-08',
  to: '2026-11-18',
  total: counts,
  weeks: [
    { ...counts, from: '2026-11-08', visits: 5, waitMedian: 240, waitP90: 720 },
    { ...counts, from: '2026-11-15' },
  ],
  providers: [
    { userId: 1, firstName: 'Ada', lastName: 'Abel', bookedMinutes: 60, openMinutes: 120 },
    { userId: 2, firstName: 'Bo', lastName: 'Gone', bookedMinutes: 90, openMinutes: null },
  ],
  checks: 0,
  deviceProblems: [],
};

function open() {
  const server = fakeServer({
    'GET /api/numbers': () => numbers,
    'GET /api/numbers/csv': () => new Response('', { headers: { 'content-type': 'text/csv' } }),
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<NumbersSection />);
  return server;
}

test('waits: a chart per week with the values as text, the table behind it, and its CSV', async () => {
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => undefined }));
  const { asked } = open();
  const waits = within(await screen.findByRole('region', { name: 'Waiting time per week, in minutes' }));
  expect(waits.getByText('4 – 12')).toBeDefined();
  const rows = waits.getAllByRole('row', { hidden: true });
  expect(rows.map((row) => [...row.children].map(({ textContent }) => textContent))).toEqual([
    ['Week from', 'Visits', 'Median wait', '90% wait at most'],
    ['11/08/2026', '5', '4 min', '12 min'],
    ['11/15/2026', '0', '–', '–'],
  ]);
  await userEvent.click(waits.getByRole('button', { name: 'Download “Waiting time per week, in minutes” as CSV' }));
  expect(asked.find(({ path }) => path === '/api/numbers/csv')?.query).toEqual({ weeks: '8', table: 'waits' });
});

test('utilization: someone who is no provider any more has the booked hours only', async () => {
  open();
  const section = within(await screen.findByRole('region', { name: 'Utilization per provider' }));
  const items = section.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(items).toEqual(['Ada Abel50% · 1 h of 2 h', 'Bo Gone (no longer a provider)1.5 h booked']);
});
