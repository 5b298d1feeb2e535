import { logout, passwordReset, refresh } from '@roomside/contract/auth/calls.ts';
import type { Call } from '@roomside/contract/call.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { cancelMyAppointment } from '@roomside/contract/my-appointments/calls.ts';
import { messageType, signedOutError } from '@roomside/contract/room/messages.ts';
import { memory } from '@roomside/signalr';
import { describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Answer, type Person, password, startTestApp, type TestApp } from '../../../test/test-app.ts';
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

describe('open connection on two servers when its sign-in ends on one of them', () => {
  type Ended = { userId: number; companyId: number; email: string };
  const tokenFor = (userId: number) =>
    context.db.open({ kind: 'unauthenticated' }, (tx) =>
      createOneTimeToken(tx, context, 'reset', userId, new Date(app.clock.now()).toISOString()),
    );
  const endings: [string, (user: Ended, person: Person) => Promise<Answer<Call>>][] = [
    ['by signing out', (_, person) => person.call(logout, { body: { kind: 'staff' } })],
    [
      'by signing out everywhere elsewhere',
      async ({ email }) =>
        (await app.signIn({ email, password })).call(logout, { body: { kind: 'staff', everywhere: true } }),
    ],
    [
      'by a new password',
      async ({ userId }) =>
        app.anonymous().call(passwordReset, {
          body: { user: { refreshToken: await tokenFor(userId), password: 'quite-another-one' } },
        }),
    ],
    [
      'because the company was disabled',
      async ({ companyId }) => {
        const { email } = await buildUser(context, { companyId: null, password });
        const superuser = await app.signIn({ email, password });
        const { json } = await superuser.call(getCompany, { params: { companyId } });
        return superuser.call(saveCompany, { body: { ...json, disabled: true } });
      },
    ],
  ];

  test.each(endings)('%s: is closed on both', async (_, end) => {
    const { companyId } = await buildCompany(context);
    const { userId, email } = await buildUser(context, { companyId, role: 'A', password });
    const person = await app.signIn({ email, password });
    const hubs = await Promise.all([connectHub(app, person), connectHub(other, person)]);
    await Promise.all([joined(app, companyId, hubs[0]), joined(other, companyId, hubs[1])]);
    const { status } = await end({ userId, companyId, email }, person);
    expect(status).toBeLessThan(300);
    // The poll runs every ten seconds. The bound leaves time for a busy machine.
    await expect.poll(() => hubs.map(endOf), { timeout: 3000, interval: 10 }).toEqual([true, true]);
  });

  test('connection of a patient who cancels: is closed on both servers, and another patient’s stays open', async () => {
    const startDate = new Date(app.clock.now() + 90 * 24 * 3_600_000).toISOString();
    const { companyId, accessCode, appointmentUid } = await buildAppointment(context, { startDate });
    const { accessCode: otherCode } = await buildAppointment(context, { companyId });
    const person = await app.signInPatient(accessCode);
    const stays = await connectHub(other, await app.signInPatient(otherCode));
    const hubs = await Promise.all([connectHub(app, person), connectHub(other, person)]);
    const { status } = await person.call(cancelMyAppointment, {
      params: { uid: appointmentUid },
      body: { version: 0 },
    });
    expect(status).toBeLessThan(300);
    await expect.poll(() => hubs.map(endOf), { timeout: 3000, interval: 10 }).toEqual([true, true]);
    expect(stays.closed()).toBeUndefined();
  });

  test('connection without a backplane between the servers: is closed by the check every ten seconds', async () => {
    const alone = await startTestApp({ database: app.database });
    const { companyId } = await buildCompany(context);
    const { email } = await buildUser(context, { companyId, role: 'A', password });
    const person = await app.signIn({ email, password });
    const hub = await connectHub(alone, person);
    await joined(alone, companyId, hub);
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
  await expect.poll(() => endOf(earlier), { timeout: 3000, interval: 10 }).toBe(true);
  expect(later.closed()).toBeUndefined();
});

/** Waits until the connection has joined its groups, which is after the handshake. */
async function joined(server: TestApp, companyId: number, hub: Hub): Promise<void> {
  await expect
    .poll(() => {
      server.context.push.schedule(companyId);
      return hub.types();
    })
    .toContain(messageType.scheduleChanged);
}

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
