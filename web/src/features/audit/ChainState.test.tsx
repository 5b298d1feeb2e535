import 'temporal-polyfill/global';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { startSignIn } from '../../api/sign-in.ts';
import { renderScreen } from '../../testing/render.tsx';
import { accessToken, fakeServer } from '../../testing/server.ts';
import { ChainState } from './ChainState.tsx';

const state = (values: object) =>
  fakeServer({
    'GET /api/audit/state': () => ({ checkedAt: null, verifiedTo: null, brokenAt: null, ...values }),
  });

test.each([
  ['before the first check', {}, /^Not verified yet\. The log is checked every hour\.$/],
  [
    'after a check',
    { checkedAt: '2026-11-21T15:00:00.000Z', verifiedTo: '2026-11-21T14:59:00.000Z' },
    /^Verified until 11\/21\/2026, 9:59 AM.*Last check: 11\/21\/2026, 10:00 AM/,
  ],
])('%s: a line says until when the log is verified', async (_, values, words) => {
  startSignIn('staff', accessToken());
  state(values);
  renderScreen(<ChainState zone="America/New_York" />);
  expect((await screen.findByRole('status')).textContent).toMatch(words);
});

test('a broken chain: an alarm says when it was found', async () => {
  startSignIn('staff', accessToken());
  state({ checkedAt: '2026-11-21T16:00:00.000Z', brokenAt: '2026-11-21T15:00:00.000Z' });
  renderScreen(<ChainState zone="America/New_York" />);
  const alarm = await screen.findByRole('alert');
  expect(alarm.textContent).toContain('Entries of this log were changed or removed outside of Roomside');
  expect(alarm.textContent).toMatch(/A check found this on 11\/21\/2026, 10:00 AM/);
  expect(screen.queryByRole('status')).toBeNull();
});
