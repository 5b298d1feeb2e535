import { logout, passwordReset, refresh } from '@roomside/contract/auth/calls.ts';
import type { Call } from '@roomside/contract/call.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { removeGuest } from '@roomside/contract/guests/calls.ts';
import { cancelMyAppointment } from '@roomside/contract/my-appointments/calls.ts';
import { messageType, signedOutError } from '@roomside/contract/room/messages.ts';
import { getUser, saveUser, type UserBody } from '@roomside/contract/users/calls.ts';
import { memory } from '@roomside/signalr';
import { describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildGuest } from '../../../test/build-guest.ts';
import { buildRoom } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Answer, type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';
import { createOneTimeToken } from '../../platform/one-time-token.ts';
import { systemSender } from './memberships.ts';

/** Two servers of one database and one backplane. */
const backplane = memory();
const app = await startTestApp({ backplane });
const other = await startTestApp({ backplane, database: app.database });
const { context } = app;

type Hub = Awaited<ReturnType<typeof connectHub>>;

/** Connects, sends messages to the company's staff until the connection closes, and returns what it received. */
async function receiveUntilClosed(person: Person, companyId: number, doctorId: number) {
  const hub = await connectHub(app, person);
  const sending = setInterval(() => {
    const message = { type: messageType.presenceChanged, session: 'f'.repeat(32) } as const;
    context.push.staffOf(companyId, doctorId, message, systemSender);
    context.push.schedule(companyId);
  }, 5);
  await expect.poll(() => hub.closed(), { timeout: 5000 }).toBeDefined();
  clearInterval(sending);
  return { received: hub.received.length, closed: `${hub.closed()}` };
}

describe('revoked sign-in', () => {
  const endings: [string, (user: { userId: number; companyId: number }, person: Person) => Promise<unknown>][] = [
    ['by signing out', (_, person) => person.call(logout, { body: { kind: 'staff' } })],
    ['by signing out everywhere', (_, person) => person.call(logout, { body: { kind: 'staff', everywhere: true } })],
    [
      'because the user was disabled',
      ({ userId }) =>
        context.db.open({ kind: 'super' }, (tx) =>
          tx.updateTable('users').set({ disabled: true }).where('user_id', '=', userId).execute(),
        ),
    ],
    [
      'because the role changed',
      ({ userId }) =>
        context.db.open({ kind: 'super' }, (tx) =>
          tx.updateTable('users').set({ role_id: 'U' }).where('user_id', '=', userId).execute(),
        ),
    ],
    [
      'because the company was disabled',
      ({ companyId }) =>
        context.db.open({ kind: 'super' }, (tx) =>
          tx.updateTable('companies').set({ disabled: true }).where('company_id', '=', companyId).execute(),
        ),
    ],
    [
      'by a replayed refresh token',
      async (_, person) => {
        const stolen = app.anonymous();
        stolen.cookies = new Map(person.cookies);
        await person.call(refresh, { body: { kind: 'staff', active: true } });
        app.clock.set(app.clock.now() + 31_000);
        await stolen.call(refresh, { body: { kind: 'staff', active: true } });
      },
    ],
  ];

  test.each(endings)('%s: a new connection by its token is closed and receives nothing', async (_, end) => {
    const { companyId } = await buildCompany(context);
    const { userId, email } = await buildUser(context, { companyId, role: 'D', password });
    const person = await app.signIn({ email, password });
    await end({ userId, companyId }, person);
    for (let i = 0; i < 3; i += 1) {
      const { received, closed } = await receiveUntilClosed(person, companyId, userId);
      expect([received, closed.endsWith(`: ${signedOutError}`)]).toEqual([0, true]);
    }
  });

  test('sign-in of a patient whose appointment was cancelled: a new connection is closed and receives nothing', async () => {
    const { companyId, doctorId, accessCode, appointmentId } = await buildAppointment(context);
    const person = await app.signInPatient(accessCode);
    await context.db.open({ kind: 'company', companyId }, (tx) =>
      tx
        .updateTable('appointments')
        .set({ cancelled: true, cancelled_at: new Date(app.clock.now()).toISOString() })
        .where('appointment_id', '=', appointmentId)
        .execute(),
    );
    expect(await receiveUntilClosed(person, companyId, doctorId)).toMatchObject({ received: 0 });
  });
});

describe('open connections on two servers when their sign-in ends on one of them', () => {
  interface Ending {
    readonly person: Person;
    /** Someone of the same company whose sign-in does not end; of another one when the whole company's end. */
    readonly stays: Person;
    end(): Promise<Answer<Call>>;
  }

  /** A new company with two administrators. */
  async function buildAdmins() {
    const { companyId } = await buildCompany(context);
    const user = await buildUser(context, { companyId, role: 'A', password });
    const colleague = await buildUser(context, { companyId, role: 'A', password });
    return {
      ...user,
      companyId,
      person: await app.signIn({ email: user.email, password }),
      stays: await app.signIn({ email: colleague.email, password }),
    };
  }
  /** One administrator saves the other one. */
  async function buildSave(change: Partial<UserBody>): Promise<Ending> {
    const { userId, person, stays } = await buildAdmins();
    const { json } = await stays.call(getUser, { params: { userId } });
    return { person, stays, end: () => stays.call(saveUser, { body: { ...json, ...change } }) };
  }

  const endings: [string, () => Promise<Ending>][] = [
    [
      'by signing out',
      async () => {
        const { person, stays } = await buildAdmins();
        return { person, stays, end: () => person.call(logout, { body: { kind: 'staff' } }) };
      },
    ],
    [
      'by signing out everywhere elsewhere',
      async () => {
        const { person, stays, email } = await buildAdmins();
        const elsewhere = await app.signIn({ email, password });
        return { person, stays, end: () => elsewhere.call(logout, { body: { kind: 'staff', everywhere: true } }) };
      },
    ],
    [
      'by a new password',
      async () => {
        const { person, stays, userId } = await buildAdmins();
        const refreshToken = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
          createOneTimeToken(tx, context, 'reset', userId, new Date(app.clock.now()).toISOString()),
        );
        const user = { refreshToken, password: 'quite-another-one' };
        return { person, stays, end: () => app.anonymous().call(passwordReset, { body: { user } }) };
      },
    ],
    ['because the user was disabled', () => buildSave({ disabled: true })],
    ['because the role changed', () => buildSave({ roleId: 'U' })],
    [
      'because the company was disabled',
      async () => {
        const { person, companyId } = await buildAdmins();
        const { stays } = await buildAdmins();
        const { email } = await buildUser(context, { companyId: null, password });
        const superuser = await app.signIn({ email, password });
        const { json } = await superuser.call(getCompany, { params: { companyId } });
        return { person, stays, end: () => superuser.call(saveCompany, { body: { ...json, disabled: true } }) };
      },
    ],
    [
      'of a patient who cancels',
      async () => {
        const startDate = new Date(app.clock.now() + 90 * 24 * 3_600_000).toISOString();
        const { companyId, accessCode, appointmentUid: uid } = await buildAppointment(context, { startDate });
        const { accessCode: otherCode } = await buildAppointment(context, { companyId });
        const [person, stays] = [await app.signInPatient(accessCode), await app.signInPatient(otherCode)];
        const end = () => person.call(cancelMyAppointment, { params: { uid }, body: { version: 0 } });
        return { person, stays, end };
      },
    ],
    [
      'of a guest who is removed',
      async () => {
        const { appointment, uid, doctor, patient: stays } = await buildRoom(app);
        const { guestId, secret } = await buildGuest(context, appointment);
        const person = await app.signInGuest(secret);
        return { person, stays, end: () => doctor.call(removeGuest, { params: { uid, guestId } }) };
      },
    ],
  ];

  test.each(endings)('%s: are closed on both within a second, and others stay open', async (_, build) => {
    const times: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const { person, stays, end } = await build();
      const hubs = await Promise.all([connectHub(app, person), connectHub(other, person)]);
      const staying = await connectHub(other, stays);
      // Calls wait until their connection was admitted.
      await Promise.all([...hubs, staying].map(({ connection }) => connection.invoke('Ping')));
      const from = performance.now();
      expect((await end()).status).toBeLessThan(300);
      await expect.poll(() => hubs.map(endOf), { timeout: 8_000, interval: 10 }).toEqual([true, true]);
      times.push(performance.now() - from);
      expect(staying.closed()).toBeUndefined();
    }
    // The quickest, since other tests use the same processor. The check of all connections, every ten seconds, is later.
    expect(Math.min(...times)).toBeLessThan(1000);
  });

  test('connection without a backplane between the servers: is closed by the check every ten seconds', async () => {
    const alone = await startTestApp({ database: app.database });
    const { companyId } = await buildCompany(context);
    const { email } = await buildUser(context, { companyId, role: 'A', password });
    const person = await app.signIn({ email, password });
    const hub = await connectHub(alone, person);
    await person.call(logout, { body: { kind: 'staff' } });
    expect(hub.closed()).toBeUndefined();
    // Repeated work runs once per step of the clock.
    await expect
      .poll(() => {
        alone.clock.set(alone.clock.now());
        return endOf(hub);
      })
      .toBe(true);
  });
});

test('connections of one sign-in from before and after a change of the role: only the earlier one is closed', async () => {
  const { companyId } = await buildCompany(context);
  const { userId, email } = await buildUser(context, { companyId, role: 'A', password });
  const person = await app.signIn({ email, password });
  const earlier = await connectHub(app, person);
  await context.db.open({ kind: 'super' }, (tx) =>
    tx.updateTable('users').set({ role_id: 'D' }).where('user_id', '=', userId).execute(),
  );
  const { json: renewed } = await person.call(refresh, { body: { kind: 'staff', active: true } });
  if (renewed.signedIn) person.token = renewed.accessToken;
  const later = await connectHub(app, person);
  expect([earlier.closed(), later.closed()]).toEqual([undefined, undefined]);
  context.push.signIns({ userId });
  await expect.poll(() => endOf(earlier), { timeout: 8_000, interval: 10 }).toBe(true);
  expect(later.closed()).toBeUndefined();
});

const endOf = (hub: Hub) => `${hub.closed()}`.endsWith(`: ${signedOutError}`);

test('connections of one person: the 31st is refused, until another one is closed', async () => {
  const { email } = await buildUser(context, { password });
  const person = await app.signIn({ email, password });
  const hubs = await Promise.all(Array.from({ length: 30 }, () => connectHub(app, person)));
  const added = await watchAudit(app);
  await expect(connectHub(app, person)).rejects.toThrow('too-many');
  expect(await added()).toMatchObject([{ action: 'connect', path: '/messaging', objects: { refused: 'too-many' } }]);
  expect(hubs.filter((hub) => hub.closed() !== undefined)).toEqual([]);
  await hubs[0]?.connection.stop();
  await expect
    .poll(() =>
      connectHub(app, person).then(
        () => 'connected',
        () => 'refused',
      ),
    )
    .toBe('connected');
});
