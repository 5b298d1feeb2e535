import {
  connectAppointment,
  deleteAppointment,
  getAppointment,
  notifyAppointment,
  saveAppointment,
} from '@roomside/contract/appointments/calls.ts';
import { cancelMyAppointment } from '@roomside/contract/my-appointments/calls.ts';
import ICAL from 'ical.js';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReceivedMail } from '../../../test/message-peers.ts';
import { hour, iso, monday, partOf, startNotices } from '../../../test/notices.ts';
import { buildPatient } from '../../demo/builders.ts';
import { queueNotification } from './queue-notification.ts';

const notices = await startNotices();
const {
  app,
  beginOutage,
  book,
  came,
  clock,
  context,
  endOutage,
  front,
  logsOf,
  mail,
  mails,
  move,
  passUndo,
  refusedOnce,
  text,
} = notices;

const tuesday = monday + 24 * hour;
/** Thursday, 2:00 PM in New York. */
const thursday = monday + 78 * hour;

let companyId: number;
let phone: string;
let doctorId: number;
let otherId: number;
let patientId: number;
beforeEach(async () => {
  mail.refusals.length = 0;
  text.refusals.length = 0;
  ({ companyId, phone, doctorId, otherId, patientId } = await notices.openClinic());
});

const notify = (appointmentId: number) => front().call(notifyAppointment, { params: { appointmentId } });

/** Books an appointment at 8 AM on Tuesday, and waits until the invitation is marked as sent. */
async function bookInvited() {
  const booked = await book();
  await notify(booked.appointmentId);
  await came(/^Your video visit/);
  return booked;
}

async function save(appointmentId: number, version: number, startDate: number, changes: object = {}) {
  const same = { doctorId, patientId, cancelled: false, cancellationNotes: '', externalId: '', welcomeMessage: '' };
  const body = { appointmentId, version, startDate: iso(startDate), ...same, ...changes };
  expect((await front().call(saveAppointment, { body })).status).toBe(200);
}

const stored = async (appointmentId: number) =>
  (await front().call(getAppointment, { params: { appointmentId }, query: {} })).json;

const textsAbout = (words: RegExp) => text.texts.filter(({ to, body }) => to === `+1${phone}` && words.test(body));
const startOf = (received: ReceivedMail | undefined) => {
  const entry = new ICAL.Component(ICAL.parse(partOf(received, 'text/calendar')) as unknown[]);
  return new ICAL.Event(entry.getFirstSubcomponent('vevent') as ICAL.Component).startDate.toJSDate().toISOString();
};

/** Waits for the cancellation. It names the place of which the patient was notified, and nothing else. */
async function expectTuesday(): Promise<void> {
  await came(/is cancelled$/);
  const [cancellation] = mails(/is cancelled$/);
  expect(cancellation?.headers.get('subject')).toBe(
    'Your video visit with Maple Clinic on Tuesday, March 4 is cancelled',
  );
  expect(partOf(cancellation, 'text/plain')).toContain('When: Tuesday, March 4, 2031 at 8:00 AM Eastern Standard Time');
  expect(partOf(cancellation, 'text/plain')).toContain("With: Maya O'Hara");
  expect(startOf(cancellation)).toBe(iso(tuesday));
  expect(textsAbout(/is cancelled/).map(({ body }) => body)).toEqual([
    'Maple Clinic: your video visit on Tue, Mar 4, 8:00 AM EST is cancelled.',
  ]);
  expect(mails(/^New time/)).toEqual([]);
}

const logged = async (appointmentId: number, kind: string) =>
  (await logsOf(appointmentId)).filter((log) => log.kind === kind).map(({ state }) => state);

describe('cancellation by the form', () => {
  test('with an unsaved start, length, provider and patient: keeps and names those of which the patient was notified', async () => {
    const { appointmentId } = await bookInvited();
    const other = await buildPatient(context, { companyId, email: 'another@example.test' });
    const typed = { doctorId: otherId, patientId: other.patientId, minutes: 45 };
    await save(appointmentId, 0, thursday, { ...typed, cancelled: true });
    expect(await stored(appointmentId)).toMatchObject({
      startDate: iso(tuesday),
      endDate: iso(tuesday + hour / 2),
      doctorId,
      patientId,
      cancelled: true,
    });
    await expectTuesday();
    expect(mail.to('another@example.test')).toEqual([]);
  });
});

describe('cancellation after a move of which the patient was not notified', () => {
  test.each([
    ['cancelled', (id: number) => save(id, 1, thursday, { doctorId: otherId, cancelled: true })],
    [
      'deleted',
      async (id: number) => {
        expect((await front().call(deleteAppointment, { params: { appointmentId: id } })).status).toBe(204);
      },
    ],
  ])('%s while the message about the move is held: names the former start and provider', async (_, cancel) => {
    const { appointmentId } = await bookInvited();
    expect((await move(appointmentId, thursday, 0, otherId)).json.notice).toBe('held');
    expect((await stored(appointmentId)).notifiedStart).toBe(iso(tuesday));
    await cancel(appointmentId);
    await passUndo();
    await expectTuesday();
  });

  test('cancelled after two drags: names the start before the first one', async () => {
    const { appointmentId } = await bookInvited();
    await move(appointmentId, thursday);
    await move(appointmentId, tuesday + hour, 1, otherId);
    await save(appointmentId, 2, tuesday + hour, { doctorId: otherId, cancelled: true });
    await expectTuesday();
  });

  test('cancelled during an outage that keeps the message about the move: names the former start', async () => {
    const { appointmentId } = await bookInvited();
    beginOutage();
    await save(appointmentId, 0, thursday, { doctorId: otherId });
    await refusedOnce();
    await save(appointmentId, 1, thursday, { doctorId: otherId, cancelled: true });
    await endOutage();
    await expectTuesday();
    expect(new Set(await logged(appointmentId, 'newTime'))).toEqual(new Set(['dropped']));
  });

  test('cancelled after Invite and Connect, whose invitation an outage keeps: names the former start', async () => {
    const { appointmentId } = await bookInvited();
    beginOutage();
    await front().call(connectAppointment, { params: { appointmentId } });
    await refusedOnce();
    await save(appointmentId, 1, clock.now(), { cancelled: true });
    await endOutage();
    await expectTuesday();
  });

  test('cancelled after a drag into the past: names the former start', async () => {
    const { appointmentId } = await bookInvited();
    expect((await move(appointmentId, monday - hour)).json.notice).toBe('none');
    await save(appointmentId, 1, monday - hour, { cancelled: true });
    await expectTuesday();
  });

  test('cancelled while the invitation is being sent, after a drag: names the start of the invitation', async () => {
    const { appointmentId } = await book();
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = mail.state.reading;
    mail.state.hold = promise;
    await notify(appointmentId);
    await vi.waitFor(() => expect(mail.state.reading).toBe(before + 1), { timeout: 30_000, interval: 20 });
    await move(appointmentId, thursday, 0, otherId);
    await save(appointmentId, 1, thursday, { doctorId: otherId, cancelled: true });
    mail.state.hold = null;
    resolve();
    await expectTuesday();
  });

  test('cancelled after a missed visit, while the message about another time is being sent: names that time', async () => {
    const { appointmentId } = await bookInvited();
    await notices.at(tuesday + 2 * hour);
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = mail.state.reading;
    mail.state.hold = promise;
    text.refusals.push(...Array.from({ length: 20 }, () => 503));
    await save(appointmentId, 0, thursday);
    await vi.waitFor(() => expect(mail.state.reading).toBe(before + 1), { timeout: 30_000, interval: 20 });
    await save(appointmentId, 1, thursday, { cancelled: true });
    mail.state.hold = null;
    resolve();
    text.refusals.length = 0;
    await came(/on Thursday, March 6 is cancelled$/);
  });

  test('cancelled after an invitation whose text message may have arrived: is sent', async () => {
    const { appointmentId } = await book();
    mail.refusals.push(...Array.from({ length: 500 }, () => 451));
    text.refusals.push(504, ...Array.from({ length: 500 }, () => 503));
    await notify(appointmentId);
    await vi.waitFor(() => expect(text.refusals.length).toBeLessThan(501), { timeout: 30_000, interval: 20 });
    await save(appointmentId, 0, tuesday, { cancelled: true });
    // An attempt that has begun before would be accepted.
    const invitations = async () => new Set(await logged(appointmentId, 'invitation'));
    await vi.waitFor(async () => expect(await invitations()).toEqual(new Set(['dropped'])), { timeout: 30_000 });
    mail.refusals.length = 0;
    text.refusals.length = 0;
    await came(/is cancelled$/);
  });

  test('cancelled before its invitation was sent: nothing is sent', async () => {
    const { appointmentId } = await book();
    beginOutage();
    expect((await stored(appointmentId)).notifiedStart).toBeNull();
    await notify(appointmentId);
    await refusedOnce();
    expect((await stored(appointmentId)).notifiedStart).toBe(iso(tuesday));
    await save(appointmentId, 0, tuesday, { cancelled: true });
    await vi.waitFor(async () => expect(await notices.countUnsent()).toBe(0), { timeout: 30_000, interval: 30 });
    expect((await logsOf(appointmentId)).map(({ kind, state }) => [kind, state])).toEqual([
      ['cancelled', 'dropped'],
      ['cancelled', 'dropped'],
      ['invitation', 'dropped'],
      ['invitation', 'dropped'],
    ]);
    expect(mails(/./)).toEqual([]);
  });

  test('cancelled after the end of the invited time, which was moved there after a cancellation: a refund names it', async () => {
    const { appointmentId } = await bookInvited();
    await save(appointmentId, 0, tuesday, { cancelled: true });
    await expectTuesday();
    await save(appointmentId, 1, thursday);
    await notify(appointmentId);
    await came(/^Your video visit with Maple Clinic on Thursday, March 6$/);
    await notices.at(thursday + hour);
    await save(appointmentId, 2, thursday, { cancelled: true });
    const about = { companyId, appointmentId, patientId, byUserId: null, now: iso(clock.now()) };
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      queueNotification(tx, context, { ...about, kind: 'refunded' }),
    );
    await came(/^Your refund/);
    expect(partOf(mails(/^Your refund/)[0], 'text/plain')).toContain('When: Thursday, March 6, 2031');
    expect(mails(/is cancelled$/)).toHaveLength(1);
  });

  test('cancelled, and moved afterwards: messages about the payment name the former start, too', async () => {
    const { appointmentId } = await bookInvited();
    await move(appointmentId, thursday, 0, otherId);
    await save(appointmentId, 1, thursday, { doctorId: otherId, cancelled: true });
    await save(appointmentId, 2, thursday + hour, { doctorId: otherId, cancelled: true });
    await expectTuesday();
    const about = { companyId, appointmentId, patientId, byUserId: null, now: iso(clock.now()) };
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      queueNotification(tx, context, { ...about, kind: 'refunded' }),
    );
    await came(/^Your refund/);
    expect(partOf(mails(/^Your refund/)[0], 'text/plain')).toContain('When: Tuesday, March 4, 2031 at 8:00 AM');
  });

  test('cancelled by the patient: names the start that the page shows', async () => {
    const { appointmentId, appointmentUid, accessCode } = await bookInvited();
    await move(appointmentId, thursday);
    const patient = await app.signInPatient(accessCode);
    await patient.call(cancelMyAppointment, { params: { uid: appointmentUid }, body: { version: 1 } });
    await came(/on Thursday, March 6 is cancelled$/);
  });
});

describe('cancellation of a restored appointment', () => {
  test('without another invitation: neither a move nor the second cancellation is sent', async () => {
    const { appointmentId } = await bookInvited();
    await save(appointmentId, 0, tuesday, { cancelled: true });
    await expectTuesday();
    await save(appointmentId, 1, thursday);
    expect((await stored(appointmentId)).notifiedStart).toBeNull();
    expect((await move(appointmentId, thursday + hour, 2)).json.notice).toBe('notInvited');
    await save(appointmentId, 3, thursday + hour, { cancelled: true });
    await passUndo();
    await expectTuesday();
    expect(await logged(appointmentId, 'cancelled')).toEqual(['sent', 'sent']);
  });

  test('before its cancellation is delivered, and moved: the patient is notified of the new time', async () => {
    const { appointmentId } = await bookInvited();
    beginOutage();
    await save(appointmentId, 0, tuesday, { cancelled: true });
    await refusedOnce();
    await save(appointmentId, 1, tuesday);
    expect((await move(appointmentId, thursday, 2)).json.notice).toBe('held');
    await endOutage();
    await passUndo();
    await came(/^New time/);
    expect(mails(/is cancelled$/)).toEqual([]);
    expect(new Set(await logged(appointmentId, 'cancelled'))).toEqual(new Set(['dropped']));
  });

  test('after another invitation, which an outage keeps, and a move back and forth: the invitation is sent', async () => {
    const { appointmentId } = await bookInvited();
    await save(appointmentId, 0, tuesday, { cancelled: true });
    await expectTuesday();
    await save(appointmentId, 1, tuesday);
    beginOutage();
    await notify(appointmentId);
    await refusedOnce();
    await save(appointmentId, 2, thursday);
    await save(appointmentId, 3, tuesday);
    await endOutage();
    await came(/^Your video visit with Maple Clinic on Tuesday, March 4$/, 2);
    expect(mails(/^New time/)).toEqual([]);
    expect(await logged(appointmentId, 'invitation')).toEqual(['sent', 'sent', 'sent', 'sent']);
  });

  test('after another invitation: the second cancellation is sent, and names its start', async () => {
    const { appointmentId } = await bookInvited();
    await save(appointmentId, 0, tuesday, { cancelled: true });
    await expectTuesday();
    await save(appointmentId, 1, thursday);
    await notify(appointmentId);
    await came(/^Your video visit with Maple Clinic on Thursday, March 6$/);
    await save(appointmentId, 2, thursday, { cancelled: true });
    await came(/on Thursday, March 6 is cancelled$/);
  });

  test('before its cancellation is delivered: one cancellation is sent, and names the start that the patient knows', async () => {
    const { appointmentId } = await bookInvited();
    beginOutage();
    await save(appointmentId, 0, tuesday, { cancelled: true });
    await refusedOnce();
    await save(appointmentId, 1, thursday);
    await notify(appointmentId);
    await save(appointmentId, 2, thursday, { cancelled: true });
    await endOutage();
    await expectTuesday();
    expect((await logged(appointmentId, 'cancelled')).toSorted()).toEqual(['dropped', 'dropped', 'sent', 'sent']);
  });
});
