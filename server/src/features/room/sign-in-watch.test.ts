import { logout, refresh } from '@roomside/contract/auth/calls.ts';
import { messageType, signedOutError } from '@roomside/contract/room/messages.ts';
import { describe, expect, test } from 'vitest';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';
import { systemSender } from './memberships.ts';

const app = await startTestApp();
const { context } = app;

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

  test('of a patient whose appointment was cancelled: a new connection is closed and receives nothing', async () => {
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

  test('open connections: are closed within a second', async () => {
    const { companyId } = await buildCompany(context);
    const { userId, email } = await buildUser(context, { companyId, role: 'D', password });
    const person = await app.signIn({ email, password });
    const hub = await connectHub(app, person);
    // The connection joins its groups after the handshake.
    await expect
      .poll(
        () => {
          context.push.schedule(companyId);
          return hub.types();
        },
        { timeout: 5000 },
      )
      .toContain(messageType.scheduleChanged);
    const start = performance.now();
    await context.db.open({ kind: 'super' }, (tx) =>
      tx.updateTable('users').set({ disabled: true }).where('user_id', '=', userId).execute(),
    );
    await expect.poll(() => hub.closed(), { timeout: 5000, interval: 10 }).toBeDefined();
    // Checked every 0.7 s. The bound leaves time for a busy machine.
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

test('connections of one person: the 31st is refused, until another one is closed', async () => {
  const { email } = await buildUser(context, { password });
  const person = await app.signIn({ email, password });
  const hubs = await Promise.all(Array.from({ length: 30 }, () => connectHub(app, person)));
  await expect(connectHub(app, person)).rejects.toThrow('too-many');
  expect(hubs.filter((hub) => hub.closed() !== undefined)).toEqual([]);
  await hubs[0]?.connection.stop();
  await expect
    .poll(
      () =>
        connectHub(app, person).then(
          () => 'connected',
          () => 'refused',
        ),
      { timeout: 5000 },
    )
    .toBe('connected');
});
