import type { TokenClaims } from '@roomside/contract/auth/calls.ts';
import type { ArrivalInfo, PushedMessage, Sender } from '@roomside/contract/room/messages.ts';
import { describe, expect, test } from 'vitest';
import { callerOf, type SignInState } from '../../api/sign-in-state.ts';
import { handleNotify } from './handle-notify.ts';

const uid = '0123456789abcdef0123456789abcdef';
const person = { firstName: 'Siobhan', lastName: "O'Brien" };
const patient: Sender = { peerId: 'P_9_x', roleId: 'P', userId: null, patientId: 9, ...person };
const doctor: Sender = { peerId: 'D_7_x', roleId: 'D', userId: 7, patientId: null, ...person };
const appointment: ArrivalInfo = {
  appointmentId: 1,
  appointmentUid: uid,
  doctorId: 7,
  patient: person,
  doctor: { firstName: 'Maya', lastName: 'Reyes' },
  startDate: '2026-01-05T15:00:00Z',
  noCamera: false,
};
const arrived: PushedMessage = { type: 0, session: uid, appointment };

function staff(roles: TokenClaims['roles'], sub: string, company: number | undefined = 1): SignInState {
  const claims: TokenClaims = { sub, roles, given_name: 'Ada', family_name: 'Lee', sn: 's', exp: 0 };
  if (company) claims.company = company;
  return { kind: 'staff', status: 'in', claims, caller: callerOf(claims) };
}

describe('arrival', () => {
  test.each<[string, SignInState, boolean]>([
    ['the patient’s doctor', staff('D', '7'), true],
    ['another doctor', staff('D', '8'), false],
    ['an administrator', staff('A', '8'), true],
    ['staff', staff('U', '8'), true],
  ])('arrival sent to %s: is announced: %s @STATE-6', (_, signIn, expected) => {
    expect(handleNotify(arrived, patient, signIn, '/patient-list')).toEqual(
      expected ? { refresh: true, arrival: appointment } : { refresh: true },
    );
  });

  test.each<[string, SignInState]>([
    ['the Super', staff('A', '7', 0)],
    ['a patient', { ...staff('P', '9'), kind: 'patient' }],
    ['a signed-out tab', { kind: 'staff', status: 'out' }],
  ])('arrival: is ignored for %s @STATE-6', (_, signIn) => {
    expect(handleNotify(arrived, patient, signIn, '/')).toEqual({ refresh: false });
  });

  test('the connection joined: what was pushed before is read again', () => {
    const joined: PushedMessage = { type: 106, session: '' };
    expect(handleNotify(joined, doctor, staff('A', '8'), '/')).toEqual({ refresh: true, company: true });
  });

  test('arrival of a user who is not a patient: is not announced @STATE-6', () => {
    expect(handleNotify(arrived, doctor, staff('A', '8'), '/')).toEqual({ refresh: true });
  });

  test.each<[string, boolean]>([
    [`/appointment/${uid}`, false],
    [`/appointment/${uid}/x`, false],
    ['/appointment/01234567-89AB-CDEF-0123-456789abcdef', false],
    ['/appointment/ffffffffffffffffffffffffffffffff', true],
    ['/appointment-edit/9/1', true],
  ])('arrival at the page %s: is announced: %s', (path, expected) => {
    expect('arrival' in handleNotify(arrived, patient, staff('D', '7'), path)).toBe(expected);
  });
});

test.each<[PushedMessage, Sender, object]>([
  [{ type: -1, session: uid, appointment }, patient, { refresh: true, gone: uid }],
  [{ type: -1, session: uid }, doctor, { refresh: true }],
  [{ type: 101, session: uid }, doctor, { refresh: true }],
  [{ type: 102, session: '' }, doctor, { refresh: false, schedule: true }],
  [{ type: 107, session: '' }, doctor, { refresh: false, schedule: true, company: true }],
  [{ type: 3, session: uid }, patient, { refresh: false }],
  [{ type: 4, session: uid }, patient, { refresh: false }],
])('message %j of %j: gives %j', (message, sender, decision) => {
  expect(handleNotify(message, sender, staff('D', '7'), '/')).toEqual(decision);
});
