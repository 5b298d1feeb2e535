import {
  deleteAppointment,
  getAppointment,
  notifyAppointment,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { moveUndoMs } from '@roomside/contract/limits.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Clinic, hour, iso, monday, partOf, startNotices } from '../../../test/notices.ts';
import { waitUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildPatient } from '../../demo/builders.ts';
import { deliverNotification } from './deliver-notification.ts';
import { releaseHeld } from './new-time.ts';
import { queueNotification } from './queue-notification.ts';
import { deliveryTexts } from './texts.ts';
import { createTransports } from './transports.ts';

const notices = await startNotices();
const {
  beginOutage,
  book,
  came,
  clock,
  context,
  countUnsent,
  endOutage,
  front,
  logsOf,
  mail,
  mails,
  move,
  passUndo,
  text,
} = notices;

const nine = monday + 24 * hour;
const ten = nine + hour;
const eleven = nine + 2 * hour;

const transports = createTransports(context.settings, context.db, false);

let clinic: Clinic;
let doctorId: number;
let otherId: number;
let patientId: number;
beforeEach(async () => {
  clinic = await notices.openClinic();
  ({ doctorId, otherId, patientId } = clinic);
});

/** Books an appointment at nine on Tuesday and waits until the invitation is marked as sent. */
async function bookInvited(): Promise<number> {
  const { appointmentId } = await book();
  await front().call(notifyAppointment, { params: { appointmentId } });
  await came(/^Your video visit/);
  return appointmentId;
}

/** The states of the mails about a new time, the latest first. */
const newTimes = async (appointmentId: number) =>
  (await logsOf(appointmentId))
    .filter(({ kind, notificationMethod }) => kind === 'newTime' && notificationMethod.name === 'Email')
    .map(({ state }) => state);

const form = (appointmentId: number, version: number, startDate: number, changes: object = {}) => ({
  body: {
    appointmentId,
    version,
    startDate: iso(startDate),
    doctorId,
    patientId,
    cancelled: false,
    cancellationNotes: '',
    externalId: '',
    welcomeMessage: '',
    ...changes,
  },
});

describe('move by drag and drop', () => {
  test('holds its message for 10 s, then sends it once, with two instances', async () => {
    const appointmentId = await bookInvited();
    expect((await move(appointmentId, ten)).json.notice).toBe('held');
    clock.set(clock.now() + moveUndoMs - 5_000);
    await releaseHeld(context);
    expect(await countUnsent()).toBe(0);
    expect(await newTimes(appointmentId)).toEqual(['queued']);
    clock.set(clock.now() + 5_000);
    await Promise.all([releaseHeld(context), releaseHeld(context)]);
    await came(/^New time/);
    await releaseHeld(context);
    expect(await newTimes(appointmentId)).toHaveLength(1);
    expect(mails(/^New time/)).toHaveLength(1);
  });

  test('sends no message after an Undo', async () => {
    const appointmentId = await bookInvited();
    await move(appointmentId, ten, 0, otherId);
    clock.set(clock.now() + 2_000);
    expect((await move(appointmentId, nine, 1)).json.notice).toBe('none');
    await passUndo();
    await passUndo();
    expect(await newTimes(appointmentId)).toEqual(['dropped']);
  });

  test('sends one message for two moves, and none when the last one leads back', async () => {
    const appointmentId = await bookInvited();
    await move(appointmentId, ten);
    clock.set(clock.now() + 9_000);
    expect((await move(appointmentId, eleven, 1)).json.notice).toBe('held');
    clock.set(clock.now() + 9_000);
    await releaseHeld(context);
    expect(await newTimes(appointmentId)).toEqual(['queued', 'dropped']);
    await passUndo();
    await came(/^New time/);
    expect(partOf(mails(/^New time/)[0], 'text/plain')).toContain('10:00 AM');
    // The patient knows of eleven; the appointment moves to nine, to ten and back to eleven.
    await move(appointmentId, nine, 2);
    await move(appointmentId, ten, 3, otherId);
    expect((await move(appointmentId, eleven, 4)).json.notice).toBe('none');
    await passUndo();
    expect(await newTimes(appointmentId)).toEqual(['dropped', 'dropped', 'sent', 'dropped']);
  });

  test('what the patient may expect: is read with the appointment', async () => {
    const appointmentId = await bookInvited();
    const expected = async () =>
      (await front().call(getAppointment, { params: { appointmentId }, query: {} })).json.expected;
    expect(await expected()).toEqual([{ startDate: iso(nine), doctorId }]);
    await move(appointmentId, ten, 0, otherId);
    expect(await expected()).toEqual([{ startDate: iso(nine), doctorId }]);
    await passUndo();
    await came(/^New time/);
    expect(await expected()).toEqual([{ startDate: iso(ten), doctorId: otherId }]);
  });

  test('sends neither a new time nor a cancellation to a patient who was not notified before', async () => {
    const { appointmentId } = await book();
    expect((await move(appointmentId, ten)).json.notice).toBe('notInvited');
    expect((await front().call(saveAppointment, form(appointmentId, 1, eleven))).status).toBe(200);
    expect((await front().call(saveAppointment, form(appointmentId, 2, eleven, { cancelled: true }))).status).toBe(200);
    await passUndo();
    expect(await logsOf(appointmentId)).toEqual([]);
  });

  test.each([
    ['an invitation', 'invitation', (id: number) => front().call(notifyAppointment, { params: { appointmentId: id } })],
    [
      'a cancellation',
      'cancelled',
      (id: number) => front().call(saveAppointment, form(id, 1, ten, { cancelled: true })),
    ],
    ['a deletion', 'cancelled', (id: number) => front().call(deleteAppointment, { params: { appointmentId: id } })],
  ] as const)('drops its held message when %s follows within 10 s', async (_, kind, change) => {
    const appointmentId = await bookInvited();
    await move(appointmentId, ten);
    // Longer than the time of a double click.
    clock.set(clock.now() + 6_000);
    expect((await change(appointmentId)).status).toBeLessThan(300);
    if (kind === 'invitation') {
      await came(/^Your video visit/, 2);
      // The invitation contains ten, so the Undo is another new time.
      expect((await move(appointmentId, nine, 1)).json.notice).toBe('held');
      await passUndo();
      await came(/^New time/);
      expect(await newTimes(appointmentId)).toEqual(['sent', 'dropped']);
    } else {
      await came(/is cancelled$/);
      await passUndo();
      expect(mails(/^New time/)).toEqual([]);
    }
  });
});

test('drag into the past and Undo: sends nothing', async () => {
  const appointmentId = await bookInvited();
  expect((await move(appointmentId, monday - hour)).json.notice).toBe('none');
  expect((await move(appointmentId, nine, 1)).json.notice).toBe('none');
  await passUndo();
  expect(await newTimes(appointmentId)).toEqual([]);
});

const manyOf = (code: number) => Array.from({ length: 50 }, () => code);

/** Waits until messages about a new time were attempted, and none is being sent. */
async function attempted(appointmentId: number): Promise<void> {
  const read = () =>
    context.db.open({ kind: 'job', companyId: clinic.companyId }, (tx) =>
      tx
        .selectFrom('notification_logs')
        .select(['error', 'claimed_until'])
        .where('appointment_id', '=', appointmentId)
        .where('kind', '=', 'newTime')
        .where('held_until', 'is', null)
        .execute(),
    );
  await vi.waitFor(
    async () => {
      const rows = await read();
      expect(rows).not.toEqual([]);
      for (const row of rows) expect(row).toEqual({ error: expect.stringMatching(/./), claimed_until: null });
    },
    { timeout: 30_000, interval: 20 },
  );
}

/** Runs the job of the first message about a new time that waits. */
async function retry(appointmentId: number): Promise<void> {
  const { companyId } = clinic;
  const { notification_id: notificationId } = await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx
      .selectFrom('notification_logs')
      .select('notification_id')
      .where('appointment_id', '=', appointmentId)
      .where('kind', '=', 'newTime')
      .where('state', '=', 'queued')
      .where('held_until', 'is', null)
      .orderBy('notification_id')
      .limit(1)
      .executeTakeFirstOrThrow(),
  );
  await deliverNotification(context, transports, { companyId, notificationId }, { last: false });
}

test('drag while a message waits for the end of an outage: its retry does not name what an Undo takes back', async () => {
  const appointmentId = await bookInvited();
  beginOutage();
  await front().call(saveAppointment, form(appointmentId, 0, ten));
  await attempted(appointmentId);
  expect((await move(appointmentId, eleven, 1)).json.notice).toBe('held');
  await attempted(appointmentId);
  await endOutage();
  await expect(retry(appointmentId)).rejects.toThrow(deliveryTexts.held);
  expect((await move(appointmentId, ten, 2)).json.notice).toBe('held');
  await passUndo();
  await came(/^New time/);
  expect(partOf(mails(/^New time/)[0], 'text/plain')).toContain('9:00 AM');
  expect(await newTimes(appointmentId)).toEqual(['sent', 'dropped', 'dropped']);
});

test('move during an outage, before which a refund is sent: the patient is notified of the new time', async () => {
  const appointmentId = await bookInvited();
  mail.refusals.push(451);
  text.refusals.push(503);
  await front().call(saveAppointment, form(appointmentId, 0, ten));
  await vi.waitFor(() => expect([...mail.refusals, ...text.refusals]).toEqual([]), { timeout: 30_000, interval: 20 });
  const about = { companyId: clinic.companyId, appointmentId, patientId, byUserId: null, now: iso(clock.now()) };
  await context.db.open({ kind: 'job', companyId: clinic.companyId }, (tx) =>
    queueNotification(tx, context, { ...about, kind: 'refunded' }),
  );
  await came(/^Your refund/);
  await came(/^New time/);
});

test('move of an appointment that got another patient: the messages to the former one do not count', async () => {
  const appointmentId = await bookInvited();
  const { companyId } = clinic;
  // Their servers' replies were lost.
  await context.db.open({ kind: 'job', companyId }, (tx) =>
    tx.updateTable('notification_logs').set({ state: 'failed' }).where('appointment_id', '=', appointmentId).execute(),
  );
  const other = await buildPatient(context, { companyId, email: 'other@example.test' });
  const saved = await front().call(saveAppointment, form(appointmentId, 0, nine, { patientId: other.patientId }));
  expect(saved.status).toBe(200);
  expect((await move(appointmentId, ten, 1)).json.notice).toBe('notInvited');
});

test('move back while the message begins to be sent: the delivery waits for it', async () => {
  const appointmentId = await bookInvited();
  beginOutage();
  await front().call(saveAppointment, form(appointmentId, 0, ten));
  await attempted(appointmentId);
  const { companyId } = clinic;
  const locked = Promise.withResolvers<void>();
  const change = context.db.open({ kind: 'job', companyId }, async (tx) => {
    const ofAppointment = tx
      .selectFrom('appointments')
      .select('appointment_id')
      .where('appointment_id', '=', appointmentId);
    await ofAppointment.forUpdate().execute();
    locked.resolve();
    await waitUntilBlocking(tx);
    const back = { starts_at: iso(nine), ends_at: iso(nine + hour / 2) };
    await tx.updateTable('appointments').set(back).where('appointment_id', '=', appointmentId).execute();
  });
  await locked.promise;
  await attempted(appointmentId);
  await endOutage();
  await Promise.all([change, retry(appointmentId)]);
  await vi.waitFor(async () => expect(await countUnsent()).toBe(0), { timeout: 30_000, interval: 30 });
  expect(await newTimes(appointmentId)).toEqual(['dropped']);
  expect(mails(/^New time/)).toEqual([]);
});

test('move back after a message that may have arrived: is sent', async () => {
  const appointmentId = await bookInvited();
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = mail.state.reading;
  mail.state.hold = promise;
  text.refusals.push(...manyOf(503));
  await front().call(saveAppointment, form(appointmentId, 0, ten));
  await vi.waitFor(() => expect(mail.state.reading).toBe(before + 1), { timeout: 30_000, interval: 20 });
  mail.breakConnections();
  mail.state.hold = null;
  resolve();
  // The peer has accepted it now, and refuses its repeats.
  await promise;
  mail.refusals.push(...manyOf(451));
  await attempted(appointmentId);
  await front().call(saveAppointment, form(appointmentId, 1, nine));
  await endOutage();
  await came(/^New time/, 2);
  expect(mails(/^New time/).map((one) => /at \d+:00 AM/.exec(partOf(one, 'text/plain'))?.[0])).toEqual([
    'at 9:00 AM',
    'at 8:00 AM',
  ]);
});

test('move to another time and provider, also in two steps: is a new time', async () => {
  const appointmentId = await bookInvited();
  await move(appointmentId, ten);
  await move(appointmentId, ten, 1, otherId);
  await passUndo();
  await came(/^New time/);
  expect(partOf(mails(/^New time/)[0], 'text/plain')).toContain('With: Noor Nash');
});

test('move to another provider while an outage keeps the message about the new time: is a new time', async () => {
  const appointmentId = await bookInvited();
  beginOutage();
  await front().call(saveAppointment, form(appointmentId, 0, ten));
  await attempted(appointmentId);
  await front().call(saveAppointment, form(appointmentId, 1, ten, { doctorId: otherId }));
  await endOutage();
  await came(/^New time/);
  expect(partOf(mails(/^New time/)[0], 'text/plain')).toContain('With: Noor Nash');
  expect(await newTimes(appointmentId)).toEqual(['sent', 'dropped']);
  expect(mails(/^New provider/)).toEqual([]);
});

test('move to another time and back, with another provider: is a new provider', async () => {
  const appointmentId = await bookInvited();
  await move(appointmentId, ten);
  await move(appointmentId, nine, 1, otherId);
  await passUndo();
  await came(/^New provider/);
});

test('move by the form during an outage, and back: sends nothing', async () => {
  const appointmentId = await bookInvited();
  beginOutage();
  await front().call(saveAppointment, form(appointmentId, 0, ten));
  await attempted(appointmentId);
  await front().call(saveAppointment, form(appointmentId, 1, nine));
  await endOutage();
  await vi.waitFor(async () => expect(await countUnsent()).toBe(0), { timeout: 30_000 });
  expect(await newTimes(appointmentId)).toEqual(['dropped']);
});

test('move by the form: sends its message immediately, and none when it reverts a drag within 10 s', async () => {
  const appointmentId = await bookInvited();
  await front().call(saveAppointment, form(appointmentId, 0, ten));
  await came(/^New time/);
  await move(appointmentId, eleven, 1);
  await front().call(saveAppointment, form(appointmentId, 2, ten));
  await passUndo();
  expect(await newTimes(appointmentId)).toEqual(['dropped', 'sent']);
});
