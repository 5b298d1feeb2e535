import { expect, test } from 'vitest';
import { setTabKind, startSignIn } from '../api/sign-in.ts';
import { accessToken } from '../testing/server.ts';
import { followPerson } from './follow-person.ts';

test('hub connection: ends with each person, and starts for each user of a company @ROUTE-9', () => {
  const calls: string[] = [];
  const live = { start: () => void calls.push('start'), stop: async () => void calls.push('stop') };
  const stopFollowing = followPerson(live);
  startSignIn('staff', accessToken({ roles: 'D', sub: '5' }));
  expect(calls).toEqual(['stop', 'start']);
  // A renewed token is the same person.
  startSignIn('staff', accessToken({ roles: 'D', sub: '5' }));
  expect(calls).toHaveLength(2);
  // To the patient's kind and back in one step.
  setTabKind('patient');
  setTabKind('staff');
  expect(calls.slice(2)).toEqual(['stop', 'stop', 'start']);
  // A signed-in patient has a separate connection, which the room starts.
  startSignIn('patient', accessToken({ roles: 'P', sub: '5' }));
  expect(calls.slice(5)).toEqual(['stop', 'stop']);
  stopFollowing();
});
