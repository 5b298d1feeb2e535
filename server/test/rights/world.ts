import type { Caller } from '@roomside/contract/permissions.ts';
import {
  type BuiltAppointment,
  buildAppointment,
  buildCompany,
  buildPatient,
  buildUser,
} from '../../src/demo/builders.ts';
import { makeAccessToken } from '../../src/platform/access-token.ts';
import { type Person, password, type TestApp } from '../test-app.ts';

/** Words that stand in names, notes and messages; none may reach somebody whom it is no business of. */
export const canaries = { own: 'Canaryown', same: 'Canarysame', other: 'Canaryother' } as const;

/** What a call is tried with: an appointment with its patient and doctor. */
export interface Target extends BuiltAppointment {
  /** Whose it is, as seen from the principals. */
  kind: 'own' | 'same' | 'other' | 'absent';
}

export interface Principal {
  name: string;
  /** What the contract knows him as; undefined = nobody. */
  caller: Caller | undefined;
  /** A genuine token of somebody who has been disabled: what it says he is. */
  tokenSays?: Caller;
  companySide: 'ours' | 'theirs' | 'none';
  /** A patient: whose. */
  patientOf?: 'own' | 'same';
  person: Person;
}

export interface World {
  companyId: number;
  doctorId: number;
  otherCompanyId: number;
  principals: Principal[];
  /** A fresh target of a kind: calls that change something never disturb the next cell. */
  makeTarget(kind: Target['kind'], changes: boolean): Promise<Target>;
}

/** Two clinics, and everybody who may try something. */
export async function buildWorld(app: TestApp): Promise<World> {
  const { context } = app;
  const { companyId } = await buildCompany(context, { companyName: 'Our Clinic' });
  const { companyId: otherCompanyId } = await buildCompany(context, { companyName: `${canaries.other} Clinic` });
  const user = (role: 'A' | 'D' | 'U', company: number | null = companyId, extra: object = {}) =>
    buildUser(context, { companyId: company, role, password, ...extra });
  const [ownDoctor, otherDoctor, admin, staff, foreignAdmin, superUser, disabled] = await Promise.all([
    user('D'),
    user('D'),
    user('A'),
    user('U'),
    user('A', otherCompanyId),
    user('A', null),
    user('A'),
  ]);
  const foreignDoctor = await user('D', otherCompanyId, { lastName: canaries.other });
  let turn = 0;
  const makeTarget = async (kind: Target['kind']): Promise<Target> => {
    turn += 1;
    const theirs = kind === 'other';
    const company = theirs ? otherCompanyId : companyId;
    const word = kind === 'absent' ? 'Gone' : canaries[kind];
    const { patientId } = await buildPatient(context, {
      companyId: company,
      firstName: word,
      lastName: word,
      phones: ['2125551234'],
    });
    const built = await buildAppointment(context, {
      companyId: company,
      patientId,
      doctorId: theirs ? foreignDoctor.userId : ownDoctor.userId,
      startDate: new Date(context.clock.now() + turn * 3_600_000).toISOString(),
      welcomeMessage: word,
    });
    if (kind !== 'absent') return { ...built, kind };
    // Ids that nobody has: like real ones, but never given out.
    return {
      ...built,
      kind,
      patientId: 9_000_000 + turn,
      appointmentId: 9_000_000 + turn,
      appointmentUid: built.appointmentUid.replace(/./g, (c) => (c === '0' ? '1' : '0')),
    };
  };

  const signIn = ({ email }: { email: string }) => app.signIn({ email, password });
  const ownVisit = await makeTarget('own');
  const sameVisit = await makeTarget('same');
  const disabledPerson = await signIn(disabled);
  await context.db.open({ kind: 'super' }, (tx) =>
    tx.updateTable('users').set({ disabled: true }).where('user_id', '=', disabled.userId).execute(),
  );
  const expired = app.anonymous();
  expired.token = await makeAccessToken(
    { keys: context.keys, clock: { ...context.clock, now: () => context.clock.now() - 3_600_000 } },
    {
      kind: 'staff',
      role: 'A',
      userId: admin.userId,
      companyId,
      signInId: 1,
      serial: 'x',
      firstName: 'A',
      lastName: 'B',
      timeZone: 'UTC',
      currency: 'USD',
    },
  );
  const wrongType = app.anonymous();
  wrongType.token = [...(await signIn(admin)).cookies.values()][0];

  const principals: Principal[] = [
    { name: 'anonymous', caller: undefined, companySide: 'none', person: app.anonymous() },
    {
      name: 'own patient',
      caller: 'P',
      companySide: 'ours',
      patientOf: 'own',
      person: await app.signInPatient(ownVisit.accessCode),
    },
    {
      name: 'other patient',
      caller: 'P',
      companySide: 'ours',
      patientOf: 'same',
      person: await app.signInPatient(sameVisit.accessCode),
    },
    { name: 'U', caller: 'U', companySide: 'ours', person: await signIn(staff) },
    { name: 'own D', caller: 'D', companySide: 'ours', person: await signIn(ownDoctor) },
    { name: 'other D', caller: 'D', companySide: 'ours', person: await signIn(otherDoctor) },
    { name: 'A', caller: 'A', companySide: 'ours', person: await signIn(admin) },
    { name: 'A of another company', caller: 'A', companySide: 'theirs', person: await signIn(foreignAdmin) },
    { name: 'Super', caller: 'Super', companySide: 'none', person: await signIn(superUser) },
    { name: 'disabled user', caller: undefined, tokenSays: 'A', companySide: 'none', person: disabledPerson },
    { name: 'expired token', caller: undefined, companySide: 'none', person: expired },
    { name: 'wrong-type token', caller: undefined, companySide: 'none', person: wrongType },
  ];
  return {
    companyId,
    doctorId: ownDoctor.userId,
    otherCompanyId,
    principals,
    // A patient's own object is the one that his code was made for; only reading calls are open to patients.
    makeTarget: async (kind, changes) => (kind === 'own' && !changes ? ownVisit : makeTarget(kind)),
  };
}
