import {
  deleteAppointment,
  getAppointment,
  notifyAppointment,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { bookVisit, holdSlot } from '@roomside/contract/booking/calls.ts';
import { cancelMyVisit, listUpcomingVisits } from '@roomside/contract/my-visits/calls.ts';
import { listSchedule, moveAppointment } from '@roomside/contract/schedule/calls.ts';
import ICAL from 'ical.js';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { startServer } from '../../../test/server-process.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { deriveKeys } from '../../platform/keys.ts';
import { queueDueNudges, queueDueReminders } from './due-notices.ts';
import { queueNotification } from './queue-notification.ts';
import { type ReceivedMail, startMailPeer, startTextPeer } from './test-peers.ts';

const mail = await startMailPeer();
const text = await startTextPeer();
const env = { SMTP_URL: mail.url, MAIL_FROM: 'Roomside <visits@roomside.test>', SMS_URL: text.url };
const app = await startTestApp({ env });
const { context, clock } = app;
const hour = 3_600_000;
/** A Monday, 08:00 in New York. */
const monday = Date.parse('2031-03-03T13:00:00Z');

let people = 0;
let companyId: number;
let companyUid: string;
let doctorId: number;
let otherId: number;
let patientId: number;
let email: string;
let phone: string;
let front: Person;
let frontEmail: string;

beforeEach(async () => {
  clock.set(monday);
  people += 1;
  ({ companyId, companyUid } = await buildCompany(context, {
    ...{ companyName: 'Maple Clinic', duration: 30, remindBeforeMin: 30, notifyUsersMin: 5, genericSchedule: true },
  }));
  const user = await buildUser(context, { companyId, role: 'U', password });
  frontEmail = user.email;
  await at(monday);
  doctorId = (await buildUser(context, { companyId, role: 'D', firstName: 'Maya', lastName: "O'Hara" })).userId;
  otherId = (await buildUser(context, { companyId, role: 'D', firstName: 'Noor', lastName: 'Nash' })).userId;
  email = `patient-${people}@example.test`;
  phone = `212555${String(1000 + people)}`;
  ({ patientId } = await buildPatient(context, {
    companyId,
    firstName: 'Pat',
    lastName: 'Palmer',
    email,
    phones: [phone],
  }));
});

/** Sets the clock; tokens do not live that long. */
async function at(ms: number): Promise<void> {
  clock.set(ms);
  front = await app.signIn({ email: frontEmail, password });
}
const iso = (ms: number) => new Date(ms).toISOString();
const book = (startDate = iso(monday + 24 * hour)) =>
  buildAppointment(context, { companyId, patientId, doctorId, startDate, minutes: 30 });
const move = (appointmentId: number, to: number, version = 0, doctor = doctorId) =>
  front.call(moveAppointment, { params: { appointmentId }, body: { startDate: iso(to), doctorId: doctor, version } });
const logsOf = async (appointmentId: number) =>
  (await front.call(getAppointment, { params: { appointmentId }, query: {} })).json.notificationLogs;
const mails = (subject: RegExp, to = email) =>
  mail.to(to).filter(({ headers }) => subject.test(headers.get('subject') ?? ''));
const came = (subject: RegExp, count = 1, to = email) =>
  vi.waitFor(() => expect(mails(subject, to)).toHaveLength(count), { timeout: 15_000, interval: 30 });
const partOf = (one: ReceivedMail | undefined, type: string) =>
  one?.parts.find((part) => part.type.startsWith(type))?.text ?? '';
function entryOf(one: ReceivedMail | undefined) {
  const calendar = new ICAL.Component(ICAL.parse(partOf(one, 'text/calendar')) as unknown[]);
  const event = new ICAL.Event(calendar.getFirstSubcomponent('vevent') as ICAL.Component);
  return {
    method: calendar.getFirstPropertyValue('method'),
    uid: event.uid,
    sequence: event.sequence,
    start: event.startDate,
  };
}

describe('a patient hears', () => {
  test('of a new time and of another provider, with the calendar entry that follows: same UID, rising SEQUENCE', async () => {
    const { appointmentId, appointmentUid } = await book();
    await front.call(notifyAppointment, { params: { appointmentId } });
    await came(/^Your video visit with Maple Clinic on/);
    await move(appointmentId, monday + 26 * hour);
    await came(/^New time for your video visit with Maple Clinic: Tuesday, March 4/);
    await move(appointmentId, monday + 26 * hour, 1, otherId);
    await came(/^New time/, 2);
    const [first, second] = mails(/^New time/);
    const entries = [entryOf(mails(/^Your video/)[0]), entryOf(first), entryOf(second)];
    expect(entries.map(({ method, sequence }) => [method, sequence])).toEqual([
      ['REQUEST', 0],
      ['REQUEST', 1],
      ['REQUEST', 2],
    ]);
    expect(new Set(entries.map(({ uid }) => uid))).toEqual(new Set([`${appointmentUid}@roomside`]));
    expect(entries[1]?.start.toJSDate().toISOString()).toBe(iso(monday + 26 * hour));
    expect(partOf(first, 'text/plain')).toContain('Tuesday, March 4, 2031 at 10:00 AM Eastern Standard Time');
    expect(partOf(second, 'text/plain')).toContain('Noor Nash');
    const texts = () => text.texts.filter(({ to, body }) => to === `+1${phone}` && body.includes('has been moved to'));
    await vi.waitFor(() => expect(texts()).toHaveLength(2), { timeout: 15_000 });
  });

  test('of a cancellation, by whomever, never with its reason; the entry leaves the calendar', async () => {
    const { appointmentId, accessCode, appointmentUid } = await book();
    const body = {
      ...{ appointmentId, version: 0, startDate: iso(monday + 24 * hour), doctorId, patientId, cancelled: true },
      ...{ cancellationNotes: 'Secretreason', externalId: '', welcomeMessage: '' },
    };
    await front.call(saveAppointment, { body });
    await came(/is cancelled$/);
    const [one] = mails(/is cancelled$/);
    expect(one?.raw).not.toContain('Secretreason');
    expect(one?.raw).not.toContain(accessCode);
    expect(entryOf(one)).toMatchObject({ method: 'CANCEL', sequence: 1, uid: `${appointmentUid}@roomside` });
    const own = await book(iso(monday + 48 * hour));
    const patient = await app.signInPatient(own.accessCode);
    await patient.call(cancelMyVisit, { params: { uid: own.appointmentUid }, body: { version: 0 } });
    await came(/is cancelled$/, 2);
    // Deleted by staff after the invitation: nobody waits in vain.
    const third = await book(iso(monday + 72 * hour));
    await front.call(notifyAppointment, { params: { appointmentId: third.appointmentId } });
    await front.call(deleteAppointment, { params: { appointmentId: third.appointmentId } });
    await came(/is cancelled$/, 3);
  });

  test('nothing of what is over, nor twice of a time that has changed again', async () => {
    const past = await book(iso(monday - 3 * hour));
    const stored = { appointmentId: past.appointmentId, version: 0, doctorId, patientId, cancelled: true };
    const rest = { cancellationNotes: '', externalId: '', welcomeMessage: '', startDate: iso(monday - 3 * hour) };
    await front.call(saveAppointment, { body: { ...stored, ...rest } });
    expect(await logsOf(past.appointmentId)).toEqual([]);
    const { appointmentId } = await book();
    const { promise, resolve } = Promise.withResolvers<void>();
    mail.state.hold = promise;
    await move(appointmentId, monday + 26 * hour);
    await vi.waitFor(async () => expect(mail.state.reading).toBeGreaterThan(0));
    await move(appointmentId, monday + 27 * hour, 1);
    await move(appointmentId, monday + 28 * hour, 2);
    mail.state.hold = null;
    resolve();
    await vi.waitFor(
      async () => expect((await logsOf(appointmentId)).every(({ state }) => state !== 'queued')).toBe(true),
      { timeout: 15_000 },
    );
    const last = mails(/^New time/).at(-1);
    expect(partOf(last, 'text/plain')).toContain('12:00 PM');
    expect((await logsOf(appointmentId)).filter(({ state }) => state === 'failed')).toEqual([]);
  });
});

describe('a reminder', () => {
  const reminders = async (appointmentId: number) =>
    (await logsOf(appointmentId)).filter(
      ({ kind, notificationMethod }) => kind === 'reminder' && notificationMethod.name === 'Email',
    );

  test('leaves once at its time, moves with the visit, and is dropped with it', async () => {
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
    const gone = await book(iso(monday + 30 * hour));
    const patient = await app.signInPatient(gone.accessCode);
    expect((await patient.call(listUpcomingVisits)).status).toBe(200);
    const body = {
      ...{ appointmentId: gone.appointmentId, version: 0, startDate: iso(monday + 30 * hour), doctorId },
      patientId,
    };
    const cancelled = { cancelled: true, cancellationNotes: '', externalId: '', welcomeMessage: '' };
    await front.call(saveAppointment, { body: { ...body, ...cancelled } });
    await at(monday + 29.6 * hour);
    await queueDueReminders(context);
    expect(await reminders(gone.appointmentId)).toEqual([]);
  });

  test('that waits to be sent is dropped when the visit moves on, and another patient’s notice with its visit', async () => {
    const { appointmentId } = await book();
    const queue = (kind: 'reminder' | 'invitation', dueAt: number, to = patientId) =>
      context.db.open({ kind: 'job', companyId }, (tx) =>
        queueNotification(tx, context, {
          ...{ companyId, appointmentId, patientId: to, kind, byUserId: null, now: iso(clock.now()) },
          dueAt: iso(dueAt),
        }),
      );
    const states = async (kind: string) =>
      (await logsOf(appointmentId)).filter((log) => log.kind === kind).map(({ state }) => state);
    const settled = (kind: string, state: string) =>
      vi.waitFor(async () => expect(new Set(await states(kind))).toEqual(new Set([state])), {
        ...{ timeout: 15_000, interval: 30 },
      });
    // For ten o'clock, while the visit is tomorrow.
    await queue('reminder', monday + 1.5 * hour);
    await settled('reminder', 'dropped');
    const { patientId: formerly } = await buildPatient(context, { companyId, email: `former-${people}@example.test` });
    await queue('invitation', monday, formerly);
    await settled('invitation', 'dropped');
    expect(mail.to(email)).toEqual([]);
    expect(mail.to(`former-${people}@example.test`)).toEqual([]);
  });

  test('does not leave for a visit that was made or moved nearer to its start than that', async () => {
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

describe('users hear', () => {
  test('of an arrival and of a patient who waits, once each: the provider, and who asked for it, not who is there', async () => {
    const names = { staff: `staff-${people}@example.test`, deaf: `deaf-${people}@example.test` };
    const listener = await buildUser(context, { companyId, role: 'U', email: names.staff });
    await buildUser(context, { companyId, role: 'U', email: names.deaf });
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx
        .insertInto('user_notify_for')
        .values({ company_id: companyId, user_id: listener.userId, doctor_id: doctorId })
        .execute(),
    );
    const visit = await buildAppointment(context, {
      ...{ companyId, patientId, doctorId, startDate: iso(monday), minutes: 30 },
      visit: { patientPresent: iso(monday) },
    });
    await seat(visit);
    await at(monday + 4 * 60_000);
    await queueDueNudges(context);
    expect(mails(/waiting at Maple/, names.staff)).toEqual([]);
    await at(monday + 6 * 60_000);
    await Promise.all([queueDueNudges(context), queueDueNudges(context)]);
    await came(/^A patient is waiting at Maple Clinic$/, 1, names.staff);
    const [nudge] = mails(/waiting/, names.staff);
    expect(partOf(nudge, 'text/plain')).toContain('Pat P. is still waiting');
    // No name in the subject, no full name anywhere.
    expect(nudge?.raw).not.toContain('Palmer');
    await queueDueNudges(context);
    const rows = await logsOf(visit.appointmentId);
    expect(rows.filter(({ kind }) => kind === 'nudge')).toHaveLength(2);
    expect(mail.to(names.deaf)).toEqual([]);
  });

  test('nothing of a patient whose provider left a moment ago: a reload is no wait', async () => {
    const visit = await buildAppointment(context, {
      ...{ companyId, patientId, doctorId, startDate: iso(monday), minutes: 30 },
      visit: { patientPresent: iso(monday), providerCame: true },
    });
    await seat(visit);
    await seat(visit, { from: monday + 60_000, to: monday + 10 * 60_000 });
    await at(monday + 11 * 60_000);
    await queueDueNudges(context);
    expect(await logsOf(visit.appointmentId)).toEqual([]);
    await at(monday + 16 * 60_000);
    await queueDueNudges(context);
    expect(await logsOf(visit.appointmentId)).toMatchObject([{ kind: 'nudge' }]);
  });
});

/** The patient's device in the room, on an instance that beats for ever; with `stay` the provider's, who left again. */
async function seat(
  visit: { companyId: number; appointmentId: number; patientId: number },
  stay?: { from: number; to: number },
): Promise<void> {
  await context.db.open({ kind: 'job', companyId: visit.companyId }, async (tx) => {
    const instance_id = `seat-${visit.appointmentId}`;
    await tx
      .insertInto('instances')
      .values({ instance_id, started_at: iso(monday), beat_at: '2099-01-01T00:00:00Z' })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const who = stay
      ? { peer_id: `D_${doctorId}_x`, role_id: 'D', user_id: doctorId, left_at: iso(stay.to) }
      : { peer_id: `P_${visit.patientId}_x`, role_id: 'P' };
    await tx
      .insertInto('peers')
      .values({
        ...{ company_id: visit.companyId, appointment_id: visit.appointmentId, patient_id: visit.patientId },
        ...{ ...who, connection_id: 'x', instance_id, joined_at: iso(stay?.from ?? monday) },
      })
      .execute();
  });
}

describe('the link that was sent', () => {
  const known = () => ({
    firstName: 'Kim',
    lastName: 'Known',
    birthDate: '1990-05-17',
    email: `kim-${people}@example.test`,
  });
  const kim = { firstName: 'kim', lastName: 'KNOWN', doB: '1990-05-17' };
  const bookAs = async (contact: { phone: string; email: string }) => {
    const stranger = app.anonymous();
    const params = { companyUid };
    const wanted = { holder: 'a'.repeat(32), doctorId, startDate: '2031-03-04T14:00:00.000Z' };
    const { holdUid } = (await stranger.call(holdSlot, { params, body: wanted })).json;
    const book = () => stranger.call(bookVisit, { params, body: { holdUid, ...kim, ...contact } });
    return { ...(await book()).json, again: book };
  };
  const linkIn = (body: string) => /#\/link\/(\S+)/.exec(body)?.[1] ?? '';
  const whoHas = (uid: string) =>
    context.db.open({ kind: 'job', companyId }, async (tx) => {
      const query = tx.selectFrom('appointments').select('patient_id').where('appointment_uid', '=', uid);
      return (await query.executeTakeFirstOrThrow()).patient_id;
    });

  test('joins a stranger with the one known patient it can be; what the screen showed then opens nothing', async () => {
    const { patientId: kimId } = await buildPatient(context, { companyId, ...known() });
    const booked = await bookAs({ phone: '', email: known().email });
    const { accessCode, appointmentUid } = booked;
    await came(/^Your video visit/, 1, known().email);
    const body = partOf(mail.to(known().email)[0], 'text/plain');
    const link = linkIn(body);
    expect(link).toMatch(new RegExp(`^${accessCode}-[A-Za-z2-9]{10}$`));
    // What the screen showed to whoever booked does not prove anything.
    expect(booked.calendar).not.toContain(link);
    const before = await whoHas(appointmentUid);
    const whoBooked = await app.signInPatient(accessCode);
    expect(await whoHas(appointmentUid)).toBe(before);
    await expect(app.signInPatient(`${accessCode}-abcdefghjk`)).rejects.toThrow('wrong-code');
    // A double click: both come in.
    await Promise.all([app.signInPatient(link), app.signInPatient(link)]);
    expect(await whoHas(appointmentUid)).toBe(kimId);
    // The link goes on working afterwards, and so does what the clinic reads out.
    await app.signInPatient(link);
    const { data } = (await (await app.signInPatient(link)).call(listUpcomingVisits)).json;
    expect(data).toMatchObject([{ appointmentUid }]);
    const [row] = (await front.call(listSchedule, { query: { from: '2031-03-04', to: '2031-03-04' } })).json.data;
    const stored = await front.call(getAppointment, { params: { appointmentId: row?.appointmentId ?? 0 }, query: {} });
    expect(stored.json.accessCode).toBe(link);
    // Whoever booked could be anybody: neither his sign-in, nor the code, nor a repeat reaches the known patient.
    expect((await whoBooked.call(listUpcomingVisits)).status).toBe(401);
    await expect(app.signInPatient(accessCode)).rejects.toThrow('wrong-code');
    expect((await booked.again()).problem.code).toBe('hold-ended');
  });

  test('proves the contact it went to and no other that was typed with it', async () => {
    const { patientId: kimId } = await buildPatient(context, { companyId, ...known() });
    // The email is on file, the phone is somebody else's: his text message must not open Kim's records.
    const mine = `212556${String(1000 + people)}`;
    const booked = await bookAs({ phone: mine, email: known().email });
    await came(/^Your video visit/, 1, known().email);
    const sent = await text.first(`+1${mine}`);
    const before = await whoHas(booked.appointmentUid);
    const byText = linkIn(sent.body);
    const byMail = linkIn(partOf(mail.to(known().email)[0], 'text/plain'));
    expect(byText).not.toBe(byMail);
    await app.signInPatient(byText);
    expect(await whoHas(booked.appointmentUid)).toBe(before);
    await app.signInPatient(byMail);
    expect(await whoHas(booked.appointmentUid)).toBe(kimId);
    await expect(app.signInPatient(byText)).rejects.toThrow('wrong-code');
  });
});

test('a reminder leaves exactly once though the server is killed while it is being sent', {
  timeout: 90_000,
}, async () => {
  const database = await createTestDatabase();
  const db = openDatabase(database.application, () => {});
  const secret = 'test-secret-test-secret-test-secret!';
  const base = { db, clock: systemClock, keys: deriveKeys(secret) } as unknown as Context;
  const to = `killed-${people}@example.test`;
  const clinic = await buildCompany(base, { remindBeforeMin: 30 });
  const patient = await buildPatient(base, { ...clinic, email: to });
  // Due in two seconds.
  await buildAppointment(base, { ...patient, startDate: iso(Date.now() + 30 * 60_000 + 2000), minutes: 30 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = mail.state.reading;
  mail.state.hold = promise;
  const first = await startServer(database.application, env);
  afterAll(() => first.stop());
  await vi.waitFor(() => expect(mail.state.reading).toBe(before + 1), { timeout: 30_000 });
  await first.stop();
  // The mail server had not said yes: it forgets the mail.
  mail.refusals.push(421);
  mail.state.hold = null;
  resolve();
  await vi.waitFor(() => expect(mail.refusals).toEqual([]));
  const two = await Promise.all([startServer(database.application, env), startServer(database.application, env)]);
  afterAll(() => Promise.all(two.map((server) => server.stop())));
  await came(/^Reminder/, 1, to).catch(() => came(/^Reminder/, 1, to));
  await vi.waitFor(
    async () => {
      const rows = await db.open({ kind: 'job', companyId: clinic.companyId }, (tx) =>
        tx.selectFrom('notification_logs').select(['kind', 'state']).execute(),
      );
      expect(rows).toEqual([{ kind: 'reminder', state: 'sent' }]);
    },
    { timeout: 20_000 },
  );
  expect(mails(/^Reminder/, to)).toHaveLength(1);
  await Promise.all(two.map((server) => server.stop()));
  await db.close();
  await database.drop();
});
