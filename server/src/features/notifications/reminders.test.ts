import { saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { listUpcomingAppointments } from '@roomside/contract/my-appointments/calls.ts';
import pg from 'pg';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { hour, iso, monday, partOf, startNotices } from '../../../test/notices.ts';
import { ageHeartbeats } from '../../../test/quick-jobs.ts';
import { startServer } from '../../../test/server-process.ts';
import { buildAppointment, buildCompany, buildPatient } from '../../demo/builders.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { openKeys } from '../../platform/keys.ts';
import { queueDueReminders } from './due-notices.ts';
import { queueNotification } from './queue-notification.ts';

const notices = await startNotices();
const { app, at, book, came, clock, context, env, front, logsOf, mail, mails, move } = notices;

let number: number;
let companyId: number;
let email: string;
let doctorId: number;
let patientId: number;
beforeEach(async () => {
  ({ number, companyId, email, doctorId, patientId } = await notices.openClinic());
});

describe('reminder', () => {
  const reminders = async (appointmentId: number) =>
    (await logsOf(appointmentId)).filter(
      ({ kind, notificationMethod }) => kind === 'reminder' && notificationMethod.name === 'Email',
    );

  test('is queued once when due, moves with the appointment, and is not queued for a cancelled one', async () => {
    const { appointmentId } = await book();
    await at(monday + 23.4 * hour);
    await queueDueReminders(context);
    expect(await reminders(appointmentId)).toEqual([]);
    await move(appointmentId, monday + 26 * hour);
    await at(monday + 24 * hour);
    await queueDueReminders(context);
    expect(await reminders(appointmentId)).toEqual([]);
    await at(monday + 25.6 * hour);
    await Promise.all([queueDueReminders(context), queueDueReminders(context), queueDueReminders(context)]);
    await queueDueReminders(context);
    expect(await reminders(appointmentId)).toHaveLength(1);
    await came(/^Reminder/);
    expect(partOf(mails(/^Reminder/)[0], 'text/plain')).toContain('10:00 AM');
    const toCancel = await book(iso(monday + 30 * hour));
    const patient = await app.signInPatient(toCancel.accessCode);
    expect((await patient.call(listUpcomingAppointments)).status).toBe(200);
    const body = {
      appointmentId: toCancel.appointmentId,
      version: 0,
      startDate: iso(monday + 30 * hour),
      doctorId,
      patientId,
    };
    const cancelled = { cancelled: true, cancellationNotes: '', externalId: '', welcomeMessage: '' };
    await front().call(saveAppointment, { body: { ...body, ...cancelled } });
    await at(monday + 29.6 * hour);
    await queueDueReminders(context);
    expect(await reminders(toCancel.appointmentId)).toEqual([]);
  });

  test('is dropped when the appointment has moved; an invitation is dropped when it has another patient', async () => {
    const { appointmentId } = await book();
    const queue = (kind: 'reminder' | 'invitation', dueAt: number, to = patientId) =>
      context.db.open({ kind: 'job', companyId }, (tx) =>
        queueNotification(tx, context, {
          companyId,
          appointmentId,
          patientId: to,
          kind,
          byUserId: null,
          now: iso(clock.now()),
          dueAt: iso(dueAt),
        }),
      );
    const states = async (kind: string) =>
      (await logsOf(appointmentId)).filter((log) => log.kind === kind).map(({ state }) => state);
    const settled = (kind: string, state: string) =>
      vi.waitFor(async () => expect(new Set(await states(kind))).toEqual(new Set([state])), {
        timeout: 30_000,
        interval: 30,
      });
    // The reminder of an earlier time: the appointment is on the next day.
    await queue('reminder', monday + 1.5 * hour);
    await settled('reminder', 'dropped');
    const { patientId: formerPatientId } = await buildPatient(context, {
      companyId,
      email: `former-${number}@example.test`,
    });
    await queue('invitation', monday, formerPatientId);
    await settled('invitation', 'dropped');
    expect(mail.to(email)).toEqual([]);
    expect(mail.to(`former-${number}@example.test`)).toEqual([]);
  });

  test('is sent once when the clinic changes how long before it is sent', async () => {
    const { appointmentId } = await book();
    await at(monday + 23.5 * hour);
    await queueDueReminders(context);
    await came(/^Reminder/);
    for (const minutes of [15, 60]) {
      await context.db.open({ kind: 'job', companyId }, (tx) =>
        tx.updateTable('companies').set({ remind_before_min: minutes }).where('company_id', '=', companyId).execute(),
      );
      await at(monday + 23.8 * hour);
      await queueDueReminders(context);
    }
    expect(await reminders(appointmentId)).toHaveLength(1);
  });

  test('is not queued for an appointment that was booked or moved after the reminder time', async () => {
    const { appointmentId } = await book(iso(monday + 20 * 60_000));
    await queueDueReminders(context);
    const moved = await book(iso(monday + 5 * hour));
    await move(moved.appointmentId, monday + 10 * 60_000 + 40 * 60_000);
    await at(monday + 15 * 60_000);
    await move(moved.appointmentId, monday + 40 * 60_000, 1);
    await queueDueReminders(context);
    await at(monday + 19 * 60_000);
    await queueDueReminders(context);
    expect(await reminders(appointmentId)).toEqual([]);
    expect(await reminders(moved.appointmentId)).toEqual([]);
  });
});

test('reminder: is sent exactly once when the server is killed while sending it', async () => {
  const database = await createTestDatabase();
  const db = openDatabase(database.application, () => {});
  const secret = 'test-secret-test-secret-test-secret!';
  const base = { db, clock: systemClock, keys: await openKeys(db, secret) } as unknown as Context;
  const to = `killed-${number}@example.test`;
  const clinic = await buildCompany(base, { remindBeforeMin: 30 });
  const patient = await buildPatient(base, { ...clinic, email: to });
  const dueAt = Date.now() + 2 * 60_000;
  await buildAppointment(base, { ...patient, startDate: iso(dueAt + 30 * 60_000), minutes: 30 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = mail.state.reading;
  mail.state.hold = promise;
  const first = await startServer(database.application, env);
  await first.setClock(dueAt);
  await vi.waitFor(() => expect(mail.state.reading).toBe(before + 1), { timeout: 30_000 });
  await first.stop();
  // The mail server had not accepted the mail and now refuses it.
  mail.refusals.push(421);
  mail.state.hold = null;
  resolve();
  await vi.waitFor(() => expect(mail.refusals).toEqual([]), { timeout: 30_000 });
  const owner = new pg.Client(database.owner);
  await owner.connect();
  await ageHeartbeats(owner);
  await owner.end();
  const two = await Promise.all([startServer(database.application, env), startServer(database.application, env)]);
  // The lease of the killed instance has ended by then.
  await Promise.all(two.map((server) => server.setClock(dueAt + 60_000)));
  await came(/^Reminder/, 1, to);
  await vi.waitFor(
    async () => {
      const rows = await db.open({ kind: 'job', companyId: clinic.companyId }, (tx) =>
        tx.selectFrom('notification_logs').select(['kind', 'state']).execute(),
      );
      expect(rows).toEqual([{ kind: 'reminder', state: 'sent' }]);
    },
    { timeout: 30_000 },
  );
  expect(mails(/^Reminder/, to)).toHaveLength(1);
  await Promise.all(two.map((server) => server.stop()));
  await db.close();
  await database.drop();
});
