import type { TokenClaims } from '@roomside/contract/auth/calls.ts';
import { describe, expect, test } from 'vitest';
import { callerOf, isClinicStaff, type SignInState } from '../api/sign-in-state.ts';
import { areaOf, menuFor } from './menu.ts';

function signIn(roles: TokenClaims['roles'], company?: number): SignInState {
  const claims: TokenClaims = { sub: '7', roles, given_name: 'Ada', family_name: 'Lee', sn: 's1', exp: 0 };
  if (company) claims.company = company;
  return { kind: roles === 'P' ? 'patient' : 'staff', status: 'in', claims, caller: callerOf(claims) };
}

const clinic = ['Today /appointment-list', 'Schedule /schedule/monthly', 'Patients /patient-list'];

describe('main menu', () => {
  test.each<[string, SignInState, string[]]>([
    ['A', signIn('A', 1), [...clinic, 'Admin /admin', 'Logout /logout']],
    ['D', signIn('D', 1), [...clinic, 'My Account /user', 'Logout /logout']],
    ['U', signIn('U', 1), [...clinic, 'My Account /user', 'Logout /logout']],
    ['P', signIn('P', 1), ['Logout /logout']],
    ['Super', signIn('A'), ['Admin /admin', 'Logout /logout']],
    ['signed out', { kind: 'staff', status: 'out' }, ['Patient Login /link', 'Provider Login /login']],
    ['not known yet', { kind: 'staff', status: 'unknown' }, []],
  ])('menu for %s: has the entries of the role @MENU-1 @MENU-2 @MENU-3', (_, who, expected) => {
    expect(menuFor(who).map(({ label, path }) => `${label} ${path}`)).toEqual(expected);
  });

  test.each([
    ['license', ['My Account', 'Logout']],
    ['factor', ['Logout']],
  ] as const)('menu while the pages are closed (%s): keeps what needs none', (why, expected) => {
    expect(menuFor(signIn('D', 1), why).map(({ label }) => label)).toEqual(expected);
  });

  test('waiting room link: is for A, D and U with a company', () => {
    const people = [signIn('A', 1), signIn('D', 1), signIn('U', 1), signIn('P', 1), signIn('A')];
    expect(people.map(isClinicStaff)).toEqual([true, true, true, false, false]);
  });
});

describe('area of the menu', () => {
  test.each([
    ['the list of a day', '/appointment-list/2026-11-26', '/schedule', '/appointment-list'],
    ['an appointment that was opened from the schedule', '/appointment-edit/7/8', '/schedule', '/schedule'],
    ['its recordings', '/recordings/8', '/schedule', '/schedule'],
    ['an appointment that was opened from elsewhere', '/appointment-edit/7/8', undefined, undefined],
    ['a page without an entry', '/waiting-room', '/schedule', undefined],
  ])('areaOf at %s: returns the entry to mark', (_, pathname, before, expected) => {
    expect(areaOf(pathname, before)).toBe(expected);
  });
});
