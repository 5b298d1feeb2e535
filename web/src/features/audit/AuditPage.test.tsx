import 'temporal-polyfill/global';
import type { AuditRow } from '@roomside/contract/audit/calls.ts';
import { screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { AuditPage } from './AuditPage.tsx';

afterEach(() => vi.unstubAllGlobals());

const deletion: AuditRow = {
  auditId: 5,
  at: '2026-11-21T15:00:00.000Z',
  actor: { kind: 'system', id: null, name: null, roleId: null },
  action: 'deleteOverdue',
  details: 'Deleted: 12 messages, 1 file',
  refused: null,
  count: 1,
  subjects: [],
  more: 0,
  address: '',
};

test.each([
  ['a wide screen: in the row', false, 'row'],
  ['a phone: in the card', true, 'listitem'],
] as const)('audit log on %s, what retention deleted stands under the action', async (_, isPhone, role) => {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: isPhone && query.includes('max-width'),
    addEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  fakeServer({
    'GET /api/audit': () => ({
      data: [deletion, { ...deletion, auditId: 4, action: 'getPatient', details: null }],
      total: 2,
    }),
    'GET /api/audit/state': () => ({ checkedAt: null, verifiedTo: null, brokenAt: null }),
  });
  startSignIn('staff', accessToken({ roles: 'A' }));
  renderScreen(<AuditPage />);
  const action = await screen.findByText('Deleted old records as the clinic’s settings say', { exact: false });
  const row = action.closest<HTMLElement>(role === 'row' ? 'tr' : 'li');
  if (!row) throw new Error('The action is in no row.');
  expect(within(row).getByText('Deleted: 12 messages, 1 file')).toBeDefined();
  expect(screen.getAllByText(/^Deleted: /)).toHaveLength(1);
});
