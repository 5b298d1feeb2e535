import {
  connectAppointment,
  deleteAppointment,
  listAppointments,
  notifyAppointment,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { cancelMyAppointment } from '@roomside/contract/my-appointments/calls.ts';
import { handOverPatient } from '@roomside/contract/waiting-room/calls.ts';
import ICAL from 'ical.js';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ReceivedMail } from '../../../test/message-peers.ts';
import { hour, iso, monday, partOf, startNotices } from '../../../test/notices.ts';
import { buildAppointment, buildPatient, buildUser } from '../../demo/builders.ts';
import { refreshVisit } from '../room/visit-rows.ts';
import { queueDueNudges } from './due-notices.ts';
import { deliveryTexts } from './texts.ts';
import { queueUserNotices } from './user-notices.ts';

const notices = await startNotices();
const { app, at, book, came, clock, context, front, logsOf, mail, mails, move, passUndo, text } = notices;

let number: number;
let companyId: number;
let phone: string;
let doctorId: number;
let otherId: number;
let patientId: number;
beforeEach(async () => {
  ({ number, companyId, phone, doctorId, otherId, patientId } = await notices.openClinic());
});

function entryOf(received: ReceivedMail | undefined) {
  const calendar = new ICAL.Component(ICAL.parse(partOf(received, 'text/calendar')) as unknown[]);
  const event = new ICAL.Event(calendar.getFirstSubcomponent('vevent') as ICAL.Component);
  return {
    method: calendar.getFirstPropertyValue('method'),
    uid: event.uid,
    sequence: event.sequence,
    start: event.startDate,
  };
}

describe('messages to a patient', () => {
  test('a new time and another provider are sent with a calendar entry of the same UID and a higher SEQUENCE', async () => {
    const { appointmentId, appointmentUid } = await book();
    await front().call(notifyAppointment, { params: { appointmentId } });
    await came(/^Your video visit with Maple Clinic on/);
    await move(appointmentId, monday + 26 * hour);
    await passUndo();
    await came(/^New time for your video visit with Maple Clinic: Tuesday, March 4/);
    const texts = () => text.texts.filter(({ to, body }) => to === `+1${phone}` && body.includes('has been moved to'));
    // A message that is still queued would be dropped for the next one.
    await vi.waitFor(() => expect(texts()).toHaveLength(1), { timeout: 30_000 });
    await move(appointmentId, monday + 26 * hour, 1, otherId);
    await passUndo();
    await came(/^New provider for your video visit with Maple Clinic on Tuesday, March 4$/);
    const [first, second] = [...mails(/^New time/), ...mails(/^New provider/)];
    expect(mails(/^New time/)).toHaveLength(1);
    const entries = [entryOf(mails(/^Your video/)[0]), entryOf(first), entryOf(second)];
    expect(entries.map(({ method, sequence }) => [method, sequence])).toEqual([
      ['REQUEST', 0],
      ['REQUEST', 1],
      ['REQUEST', 2],
    ]);
    expect(new Set(entries.map(({ uid }) => uid))).toEqual(new Set([`${appointmentUid}@roomside`]));
    expect(entries[1]?.start.toJSDate().toISOString()).toBe(iso(monday + 26 * hour));
    expect(partOf(first, 'text/plain')).toContain('Tuesday, March 4, 2031 at 10:00 AM Eastern Standard Time');
    expect(partOf(second, 'text/plain')).toContain(
      'Your video visit with Maple Clinic is now with Noor Nash. The time has not changed.',
    );
    expect(partOf(second, 'text/plain')).toContain('Tuesday, March 4, 2031 at 10:00 AM Eastern Standard Time');
    expect(second?.raw).toContain('Your video visit has a new provider');
    const own = () => text.texts.filter(({ to }) => to === `+1${phone}`).map(({ body }) => body);
    await vi.waitFor(() => expect(own()).toHaveLength(3), { timeout: 30_000 });
    expect(own()[2]).toMatch(
      /^Maple Clinic: your video visit on Tue, Mar 4, 10:00 AM EST is now with Noor Nash\. Join: /,
    );
  });

  test('a cancellation by staff or patient and a deletion are sent without the reason, with the calendar method CANCEL', async () => {
    const { appointmentId, accessCode, appointmentUid } = await book();
    const body = {
      appointmentId,
      version: 0,
      startDate: iso(monday + 24 * hour),
      doctorId,
      patientId,
      cancelled: true,
      cancellationNotes: 'Secretreason',
      externalId: '',
      welcomeMessage: '',
    };
    await front().call(notifyAppointment, { params: { appointmentId } });
    await came(/on Tuesday, March 4$/);
    await front().call(saveAppointment, { body });
    await came(/is cancelled$/);
    const [one] = mails(/is cancelled$/);
    expect(one?.raw).not.toContain('Secretreason');
    expect(one?.raw).not.toContain(accessCode);
    expect(entryOf(one)).toMatchObject({ method: 'CANCEL', sequence: 1, uid: `${appointmentUid}@roomside` });
    const own = await book(iso(monday + 48 * hour));
    const patient = await app.signInPatient(own.accessCode);
    await patient.call(cancelMyAppointment, { params: { uid: own.appointmentUid }, body: { version: 0 } });
    await came(/is cancelled$/, 2);
    // A deletion by staff after the invitation.
    const third = await book(iso(monday + 72 * hour));
    await front().call(notifyAppointment, { params: { appointmentId: third.appointmentId } });
    await came(/on Thursday, March 6$/);
    await front().call(deleteAppointment, { params: { appointmentId: third.appointmentId } });
    await came(/is cancelled$/, 3);
  });

  test('an invitation and, a moment later, Invite and Connect: the patient gets one message that it starts now', async () => {
    onTestFinished(clock.freeze());
    const { appointmentId } = await book();
    const params = { appointmentId };
    await front().call(notifyAppointment, { params });
    await came(/^Your video visit with Maple Clinic on/);
    clock.set(clock.now() + 1_000);
    expect((await front().call(connectAppointment, { params })).json.invited).toBe(true);
    await came(/starts now$/);
    // A double click, and one on the other button.
    clock.set(clock.now() + 1_000);
    await front().call(connectAppointment, { params });
    clock.set(clock.now() + 1_000);
    await front().call(notifyAppointment, { params });
    expect(await logsOf(appointmentId)).toHaveLength(4);
  });

  test('the deletion of an instant appointment is sent without a link', async () => {
    const { appointmentId } = await book();
    await front().call(connectAppointment, { params: { appointmentId } });
    await came(/starts now$/);
    await front().call(deleteAppointment, { params: { appointmentId } });
    await came(/is cancelled$/);
    expect(partOf(mails(/is cancelled$/)[0], 'text/plain')).toContain('Monday, March 3, 2031 at 8:00 AM');
    const own = () => text.texts.filter(({ to }) => to === `+1${phone}`).map(({ body }) => body);
    await vi.waitFor(() => expect(own()).toHaveLength(2), { timeout: 30_000 });
    expect(own()[1]).toMatch(/is cancelled/);
    expect(own()[1]).not.toContain('Join');
  });

  test('a longer appointment with the same start sends nothing', async () => {
    const { appointmentId } = await book();
    const stored = { appointmentId, version: 0, startDate: iso(monday + 24 * hour), doctorId, patientId };
    const rest = { cancelled: false, cancellationNotes: '', externalId: '', welcomeMessage: '' };
    const saved = await front().call(saveAppointment, { body: { ...stored, ...rest, minutes: 45 } });
    expect([saved.status, await logsOf(appointmentId)]).toEqual([200, []]);
  });

  test('the cancellation of a past appointment sends nothing, and a replaced new time is not sent', async () => {
    const past = await book(iso(monday - 3 * hour));
    const stored = { appointmentId: past.appointmentId, version: 0, doctorId, patientId, cancelled: true };
    const rest = { cancellationNotes: '', externalId: '', welcomeMessage: '', startDate: iso(monday - 3 * hour) };
    await front().call(saveAppointment, { body: { ...stored, ...rest } });
    expect(await logsOf(past.appointmentId)).toEqual([]);
    const { appointmentId } = await book();
    const { promise, resolve } = Promise.withResolvers<void>();
    mail.state.hold = promise;
    const { reading } = mail.state;
    await front().call(notifyAppointment, { params: { appointmentId } });
    await expect.poll(() => mail.state.reading).toBeGreaterThan(reading);
    await move(appointmentId, monday + 26 * hour);
    await passUndo();
    await move(appointmentId, monday + 27 * hour, 1);
    await passUndo();
    await move(appointmentId, monday + 28 * hour, 2);
    await passUndo();
    mail.state.hold = null;
    resolve();
    await vi.waitFor(
      async () => expect((await logsOf(appointmentId)).every(({ state }) => state !== 'queued')).toBe(true),
      { timeout: 30_000 },
    );
    const last = mails(/^New time/).at(-1);
    expect(partOf(last, 'text/plain')).toContain('12:00 PM');
    expect((await logsOf(appointmentId)).filter(({ state }) => state === 'failed')).toEqual([]);
  });
});

test('list of appointments: marks those whose patient no message has reached', async () => {
  const { appointmentId } = await book();
  const undelivered = async () => {
    const query = { top: 5, skip: 0, patientId };
    return (await front().call(listAppointments, { query })).json.data.map((row) => row.undelivered);
  };
  const settled = (state: string) =>
    vi.waitFor(async () => expect((await logsOf(appointmentId)).map((log) => log.state)).toContain(state), {
      timeout: 30_000,
    });
  expect(await undelivered()).toEqual([false]);
  mail.refusals.push(550);
  text.refusals.push(400);
  await front().call(notifyAppointment, { params: { appointmentId } });
  await vi.waitFor(async () => expect(await undelivered()).toEqual([true]), { timeout: 30_000 });
  // One of the two methods is enough.
  await at(monday + 60_000);
  mail.refusals.push(550);
  await front().call(notifyAppointment, { params: { appointmentId } });
  await settled('sent');
  expect(await undelivered()).toEqual([false]);
  // A message that has been queued for long has not reached the patient either.
  const { promise, resolve } = Promise.withResolvers<void>();
  mail.state.hold = promise;
  text.refusals.push(...Array.from({ length: 50 }, () => 503));
  await at(monday + 120_000);
  await front().call(notifyAppointment, { params: { appointmentId } });
  expect(await undelivered()).toEqual([false]);
  await at(monday + 20 * 60_000);
  expect(await undelivered()).toEqual([true]);
  text.refusals.length = 0;
  mail.state.hold = null;
  resolve();
  await vi.waitFor(async () => expect(await undelivered()).toEqual([false]), { timeout: 30_000 });
});

/** A user is to be notified of the provider's arrivals and waits. */
const notifyOfProvider = (userId: number) =>
  context.db.open({ kind: 'job', companyId }, (tx) =>
    tx.insertInto('user_notify_for').values({ company_id: companyId, user_id: userId, doctor_id: doctorId }).execute(),
  );

describe('messages to users', () => {
  test('an arrival and a waiting patient are sent once each to the users who are notified for the provider', async () => {
    const names = { staff: `staff-${number}@example.test`, other: `other-${number}@example.test` };
    const listener = await buildUser(context, { companyId, role: 'U', email: names.staff });
    await buildUser(context, { companyId, role: 'U', email: names.other });
    await notifyOfProvider(listener.userId);
    const appointment = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: iso(monday),
      minutes: 30,
      visit: { patientPresent: iso(monday) },
    });
    await at(monday + 4 * 60_000);
    await queueDueNudges(context);
    expect(mails(/waiting at Maple/, names.staff)).toEqual([]);
    await at(monday + 6 * 60_000);
    await Promise.all([queueDueNudges(context), queueDueNudges(context)]);
    await came(/^A patient is waiting at Maple Clinic$/, 1, names.staff);
    const [nudge] = mails(/waiting/, names.staff);
    expect(partOf(nudge, 'text/plain')).toContain('Pat P. is still waiting');
    // The mail does not contain the full name.
    expect(nudge?.raw).not.toContain('Palmer');
    await queueDueNudges(context);
    const rows = await logsOf(appointment.appointmentId);
    expect(rows.filter(({ kind }) => kind === 'nudge')).toHaveLength(2);
    expect(mail.to(names.other)).toEqual([]);
  });

  test('a patient whose name has a web or email address is not named', async () => {
    const staff = `staff-${number}@example.test`;
    const { userId } = await buildUser(context, { companyId, role: 'U', email: staff });
    await notifyOfProvider(userId);
    const named = { firstName: 'evil.test', lastName: 'Palmer', email: '' };
    const patient = await buildPatient(context, { companyId, ...named });
    await buildAppointment(context, {
      companyId,
      patientId: patient.patientId,
      doctorId,
      startDate: iso(monday),
      visit: { patientPresent: iso(monday) },
    });
    await at(monday + 6 * 60_000);
    await queueDueNudges(context);
    await came(/^A patient is waiting at Maple Clinic$/, 1, staff);
    const [nudge] = mails(/waiting/, staff);
    expect(partOf(nudge, 'text/plain')).toContain('A patient is still waiting for the visit with Maya O');
    expect(nudge?.raw).not.toContain('evil');
  });

  test('a nudge is not sent when the provider came before its turn', async () => {
    const visit = { patientPresent: iso(monday) };
    const appointment = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: iso(monday),
      visit,
    });
    const { appointmentId } = appointment;
    const listener = await buildUser(context, { companyId, role: 'U' });
    await notifyOfProvider(listener.userId);
    const came = iso(monday + 4 * 60_000);
    await at(monday + 4 * 60_000);
    await attend(appointment, { from: monday + 4 * 60_000, to: null });
    await context.db.open({ kind: 'job', companyId }, (tx) => refreshVisit(tx, companyId, appointmentId, came));
    const job = { companyId, appointmentId, kind: 'nudge', dueAt: iso(monday + 5 * 60_000) } as const;
    await queueUserNotices(context, context.jobs, job, came);
    const verdicts = () =>
      context.db.open({ kind: 'job', companyId }, (tx) =>
        tx
          .selectFrom('notification_logs')
          .select(['to_user_id', 'state', 'error'])
          .where('appointment_id', '=', appointmentId)
          .execute(),
      );
    const dropped = { to_user_id: listener.userId, state: 'dropped', error: deliveryTexts.noLongerWaiting };
    await vi.waitFor(async () => expect(await verdicts()).toEqual([dropped]), { timeout: 30_000 });
  });

  test('patient handed over to another provider: that provider gets the notices of an arrival, and of a wait from then on', async () => {
    const visit = { patientPresent: iso(monday) };
    const appointment = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: iso(monday),
      visit,
    });
    const kinds = async () => (await logsOf(appointment.appointmentId)).map(({ kind }) => kind);
    await at(monday + 6 * 60_000);
    await queueDueNudges(context);
    expect(await kinds()).toEqual(['nudge']);
    const handedOver = { params: { uid: appointment.appointmentUid }, body: { doctorId: otherId } };
    expect((await front().call(handOverPatient, handedOver)).status).toBe(204);
    await vi.waitFor(async () => expect((await kinds()).sort()).toEqual(['arrival', 'nudge']), { timeout: 30_000 });
    await at(monday + 10 * 60_000);
    await queueDueNudges(context);
    expect(await kinds()).toHaveLength(2);
    await at(monday + 12 * 60_000);
    await queueDueNudges(context);
    const recipients = await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx
        .selectFrom('notification_logs')
        .select(['kind', 'to_user_id'])
        .where('appointment_id', '=', appointment.appointmentId)
        .orderBy('notification_id')
        .execute(),
    );
    expect(recipients).toEqual([
      { kind: 'nudge', to_user_id: doctorId },
      { kind: 'arrival', to_user_id: otherId },
      { kind: 'nudge', to_user_id: otherId },
    ]);
  });

  test('waiting patient moved to another provider: that provider gets the notice of an arrival', async () => {
    const visit = { patientPresent: iso(monday) };
    const { appointmentId } = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: iso(monday),
      visit,
    });
    expect((await move(appointmentId, monday, 0, otherId)).status).toBe(200);
    await vi.waitFor(async () => expect((await logsOf(appointmentId)).map(({ kind }) => kind)).toEqual(['arrival']), {
      timeout: 30_000,
    });
  });

  test('a patient who comes and goes: users are notified of five arrivals an hour', async () => {
    const { appointmentId } = await book(iso(monday));
    const arrive = (minutes: number) => {
      const dueAt = iso(monday + minutes * 60_000);
      const job = { companyId, appointmentId, kind: 'arrival', dueAt } as const;
      return queueUserNotices(context, context.jobs, job, dueAt);
    };
    for (let minutes = 0; minutes < 7; minutes += 1) await arrive(minutes);
    const states = async () => (await logsOf(appointmentId)).map(({ state }) => state);
    expect((await states()).filter((state) => state === 'dropped')).toHaveLength(2);
    await arrive(62);
    expect(await states()).toHaveLength(8);
    expect((await states()).filter((state) => state === 'dropped')).toHaveLength(2);
  });

  test('a waiting patient is not reported right after the provider left, only some minutes later', async () => {
    const appointment = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: iso(monday),
      minutes: 30,
      visit: { patientPresent: iso(monday), providerCame: true },
    });
    await attend(appointment, { from: monday + 60_000, to: monday + 10 * 60_000 });
    await at(monday + 11 * 60_000);
    await queueDueNudges(context);
    expect(await logsOf(appointment.appointmentId)).toEqual([]);
    await at(monday + 16 * 60_000);
    await queueDueNudges(context);
    expect(await logsOf(appointment.appointmentId)).toMatchObject([{ kind: 'nudge' }]);
  });
});

/** Inserts an attendance of the provider, on the instance of the patient who was built as present. */
async function attend(
  appointment: { companyId: number; appointmentId: number; patientId: number },
  { from, to }: { from: number; to: number | null },
): Promise<void> {
  const { companyId: company_id, appointmentId, patientId: patient_id } = appointment;
  const peer = { company_id, appointment_id: appointmentId, patient_id, peer_id: `D_${doctorId}_x`, role_id: 'D' };
  const held = { user_id: doctorId, connection_id: 'x', instance_id: `built-${appointmentId}` };
  await context.db.open({ kind: 'job', companyId: company_id }, (tx) =>
    tx
      .insertInto('peers')
      .values({ ...peer, ...held, joined_at: iso(from), left_at: to === null ? null : iso(to) })
      .execute(),
  );
}
