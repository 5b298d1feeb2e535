import { expect, test } from 'vitest';
import { setTabKind, startSignIn } from '../api/sign-in.ts';
import { accessToken } from '../testing/server.ts';
import { followPerson } from './follow-person.ts';

test('the live connection ends with each person and starts for each member of a company’s staff @ROUTE-9', () => {
  const calls: string[] = [];
  const live = { start: () => void calls.push('start'), stop: async () => void calls.push('stop') };
  const stopFollowing = followPerson(live);
  startSignIn('staff', accessToken({ roles: 'D', sub: '5' }));
  expect(calls).toEqual(['stop', 'start']);
  // A renewed token is the same person.
  startSignIn('staff', accessToken({ roles: 'D', sub: '5' }));
  expect(calls).toHaveLength(2);
  // To the patient's side and back, in one go.
  setTabKind('patient');
  setTabKind('staff');
  expect(calls.slice(2)).toEqual(['stop', 'stop', 'start']);
  // A patient who is signed in too has a connection of their own, which the room starts.
  startSignIn('patient', accessToken({ roles: 'P', sub: '5' }));
  expect(calls.slice(5)).toEqual(['stop', 'stop']);
  stopFollowing();
});
