import { randomUUID } from 'node:crypto';
import { getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { logout } from '@roomside/contract/auth/calls.ts';
import { getTeleappointment, listMessages } from '@roomside/contract/room/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { getArrivedCount, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectHub } from '../../../test/hub-client.ts';
import { openStaysOf, openVisit, rowOf } from '../../../test/open-visit.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

let visit: BuiltAppointment;
let doctor: Person;
let admin: Person;
let patient: Person;
let uid: string;

const signIn = async (companyId: number, role: 'A' | 'D' | 'U') => {
  const user = await buildUser(context, { companyId, role, password });
  return { ...user, person: await app.signIn({ email: user.email, password }) };
};

beforeEach(async () => {
  ({ visit, uid, doctor, admin, patient } = await openVisit(app));
});

const row = () => rowOf(admin, visit);

describe('an arrival', () => {
  test('is announced to the staff once, by type 4, and counted until a provider comes @HUB-2 @HUB-3 @STATE-1 @CALL-9 @MENU-4', async () => {
    const front = await connectHub(app, admin);
    const own = await connectHub(app, doctor);
    const colleague = await connectHub(app, (await signIn(visit.companyId, 'D')).person);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await front.hears(messageType.presenceChanged);
    expect(front.types()).not.toContain(0);
    await there.sendData({ type: 4, session: uid });
    const { message, user } = await front.hears(0);
    expect(message).toMatchObject({
      session: uid,
      appointment: { appointmentId: visit.appointmentId, doctorId: visit.doctorId, noCamera: false },
    });
    expect(user.roleId).toBe('P');
    await own.hears(0);
    await there.sendData({ type: 4, session: uid });
    expect((await admin.call(getArrivedCount)).json).toBe(1);
    expect((await row())?.status).toBe('waiting');
    await own.subscribe(uid);
    expect((await admin.call(getArrivedCount)).json).toBe(0);
    expect((await admin.call(listArrived)).json.data).toMatchObject([
      { appointmentUid: uid, providerPresent: expect.any(String) },
    ]);
    expect((await row())?.status).toBe('inProgress');
    expect(front.types().filter((type) => type === 0)).toHaveLength(1);
    expect(colleague.types()).toEqual([]);
  });

  test('without video is announced after 20 s, marked so', async () => {
    const front = await connectHub(app, admin);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    clock.set(clock.now() + 20_500);
    const { message } = await front.hears(0);
    expect(message).toMatchObject({ appointment: { noCamera: true } });
  });

  test('more than an hour early is none', async () => {
    const early = await buildAppointment(context, {
      companyId: visit.companyId,
      patientId: visit.patientId,
      startDate: new Date(clock.now() + 61 * 60_000).toISOString(),
    });
    const there = await connectHub(app, await app.signInPatient(early.accessCode));
    await expect(there.subscribe(early.appointmentUid)).rejects.toThrow('HubException: early');
    expect((await admin.call(getArrivedCount)).json).toBe(0);
  });
});

describe('a room', () => {
  test('exists for the staff of its company and its patient only', async () => {
    const stranger = await buildAppointment(context, { companyId: visit.companyId });
    const foreigner = (await signIn((await buildCompany(context)).companyId, 'A')).person;
    const superUser = await buildUser(context, { companyId: null, password });
    const others = [
      await app.signInPatient(stranger.accessCode),
      foreigner,
      await app.signIn({ email: superUser.email, password }),
    ];
    const absent = 'f'.repeat(32);
    for (const person of others) {
      const hub = await connectHub(app, person);
      const refusals = [];
      for (const session of [uid, absent])
        refusals.push(await hub.subscribe(session).catch((error: Error) => error.message));
      expect(refusals[0]).toContain('HubException: not-found');
      expect(refusals[0]).toBe(refusals[1]);
      await expect(hub.sendData({ type: 4, session: uid })).rejects.toThrow('not-found');
      await expect(hub.sendText({ session: uid, payload: 'hello', key: 'key-12345' })).rejects.toThrow('not-found');
    }
    await expect(connectHub(app, app.anonymous())).rejects.toThrow('401');
  });

  test('says who is there; type 2 goes to one peer, the rest to all; types 0 and below, and from 100 on, are refused @HUB-3 @ENTITY-18', async () => {
    const there = await connectHub(app, patient);
    const own = await connectHub(app, doctor);
    const third = await connectHub(app, admin);
    await there.subscribe(uid.toUpperCase());
    await there.sendData({ type: 4, session: uid });
    const [peer] = await own.subscribe(uid);
    expect(peer).toMatchObject({
      roleId: 'P',
      patientId: visit.patientId,
      ready: true,
      peerId: expect.stringMatching(/^P_\d+_[a-z0-9]{10}$/),
    });
    await third.subscribe(uid);
    await own.sendData({ type: 2, session: uid, to: peer?.peerId, payload: { description: 'x' } });
    await there.hears(2);
    await own.sendData({ type: 6, session: uid, payload: { mute: true } });
    await third.hears(6);
    expect(third.types()).not.toContain(2);
    await expect(own.sendData({ type: 2, session: uid })).rejects.toThrow('malformed');
    await expect(there.sendData({ type: 6, session: uid })).rejects.toThrow('not-allowed');
    for (const type of [0, -1, -2, 1, 7, 99, 100, 101, 102, 1000])
      await expect(own.sendData({ type, session: uid } as never)).rejects.toThrow('Failed to invoke');
  });

  test('a second tab takes over and the first one is told', async () => {
    const first = await connectHub(app, doctor);
    const second = await connectHub(app, doctor);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await first.subscribe(uid);
    await second.subscribe(uid);
    await first.hears(messageType.movedToOtherTab);
    await there.sendData({ type: 4, session: uid });
    await second.hears(4);
    expect(first.types()).not.toContain(4);
    await expect(first.sendData({ type: 4, session: uid })).rejects.toThrow('not-found');
    expect(there.types()).not.toContain(-1);
  });

  test('ends when staff end it after both met: patients are out, the link says so, the list knows it @STATE-16 @CALL-8', async () => {
    const there = await connectHub(app, patient);
    const own = await connectHub(app, doctor);
    await there.subscribe(uid);
    await own.subscribe(uid);
    await own.sendData({ type: 3, session: uid });
    const { user } = await there.hears(3);
    expect(user.roleId).toBe('D');
    await expect(there.sendData({ type: 4, session: uid })).rejects.toThrow('not-found');
    await expect(there.subscribe(uid)).rejects.toThrow('ended');
    expect((await patient.call(getTeleappointment, { params: { uid } })).json.appointment.ended).toBe(true);
    await own.unsubscribe(uid);
    expect((await row())?.status).toBe('completed');
    // Ended by mistake: staff who come back open it again.
    await own.subscribe(uid);
    await there.subscribe(uid);
  });

  test('that staff end before both have met is not completed, and the link stays open', async () => {
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await there.unsubscribe(uid);
    const own = await connectHub(app, doctor);
    await own.subscribe(uid);
    await own.sendData({ type: 3, session: uid });
    await own.unsubscribe(uid);
    expect((await row())?.status).toBe('scheduled');
    await there.subscribe(uid);
  });

  test('a patient who leaves for good is gone at once', async () => {
    const front = await connectHub(app, admin);
    const there = await connectHub(app, patient);
    const own = await connectHub(app, doctor);
    await there.subscribe(uid);
    await own.subscribe(uid);
    await there.sendData({ type: 3, session: uid });
    await own.hears(-1);
    await front.hears(-1);
    expect((await row())?.patientPresent).toBeNull();
    expect((await row())?.status).not.toBe('completed');
  });

  test('cancelling ends an open room with a word and the patient’s link with it @CALL-4 @STATE-2', async () => {
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    const { json } = await admin.call(getAppointment, { params: { appointmentId: visit.appointmentId }, query: {} });
    const { appointmentId, version, startDate, doctorId, patientId, externalId, welcomeMessage } = json;
    const body = {
      appointmentId,
      version,
      startDate,
      doctorId,
      patientId,
      externalId,
      welcomeMessage,
      cancelled: true,
      cancellationNotes: 'ill',
      accessCode: '*',
    };
    expect((await admin.call(saveAppointment, { body })).status).toBe(200);
    const { message } = await there.hears(3);
    expect(message).toMatchObject({ payload: { cancelled: true } });
    expect((await patient.call(getTeleappointment, { params: { uid } })).status).toBe(401);
    await expect.poll(() => String(there.closed()), { timeout: 3000 }).toContain('signed-out');
  });

  test('tells the staff of the provider whose it is now, after it changed hands', async () => {
    const next = await signIn(visit.companyId, 'D');
    const before = await connectHub(app, doctor);
    const after = await connectHub(app, next.person);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await before.hears(messageType.presenceChanged);
    const { json } = await admin.call(getAppointment, { params: { appointmentId: visit.appointmentId }, query: {} });
    const { appointmentId, version, startDate, patientId, externalId, welcomeMessage } = json;
    const kept = { appointmentId, version, startDate, patientId, externalId, welcomeMessage };
    const saved = await admin.call(saveAppointment, {
      body: { ...kept, doctorId: next.userId, cancelled: false, cancellationNotes: '', overbook: true },
    });
    expect(saved.status).toBe(200);
    await there.unsubscribe(uid);
    const { user } = await after.hears(-1);
    expect(user.roleId).toBe('P');
    expect(before.types()).not.toContain(-1);
  });

  test('leaves a row in the audit for coming, video and going, not for each signal', async () => {
    const there = await connectHub(app, patient);
    const own = await connectHub(app, doctor);
    await there.subscribe(uid);
    await own.subscribe(uid);
    for (let i = 0; i < 3; i += 1) await there.sendData({ type: 4, session: uid });
    await own.sendData({ type: 6, session: uid, payload: { mute: true } });
    await there.hears(6);
    await there.unsubscribe(uid);
    const client = new pg.Client(app.database.owner);
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query<{ actor: string; action: string }>(
      `select actor, action from audit_log where path = '/messaging' and (objects->>'appointmentId')::bigint = $1
       order by audit_id`,
      [visit.appointmentId],
    );
    expect(rows.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      `P_${visit.patientId} Subscribe`,
      `D_${visit.doctorId} Subscribe`,
      `P_${visit.patientId} Ready`,
      `P_${visit.patientId} Unsubscribe`,
    ]);
  });

  test('signing out closes the hub within a second', async () => {
    const own = await connectHub(app, doctor);
    await doctor.call(logout, { body: { kind: 'staff' } });
    const from = Date.now();
    await expect.poll(() => String(own.closed()), { timeout: 3000, interval: 20 }).toContain('signed-out');
    expect(Date.now() - from).toBeLessThan(1500);
  });
});

describe('a lost line', () => {
  /** Waits until the stays of the lost lines have ended; the others learn of it after the grace. */
  const staysLeft = (count: number) => expect.poll(() => openStaysOf(owner, visit)).toHaveLength(count);
  const passGrace = () => clock.set(clock.now() + 5_000);

  test('that comes back is never told; one that does not is, after a moment, and the list keeps the time @STATE-15', async () => {
    const own = await connectHub(app, doctor);
    const there = await connectHub(app, patient);
    await own.subscribe(uid);
    await there.subscribe(uid);
    there.cut();
    const again = await connectHub(app, patient);
    await again.subscribe(uid);
    await again.sendData({ type: 4, session: uid });
    await own.hears(4);
    expect(own.types()).not.toContain(-1);
    again.cut();
    await staysLeft(1);
    expect((await row())?.patientPresent).not.toBeNull();
    passGrace();
    await own.hears(-1);
    expect((await row())?.patientPresent).toBeNull();
  });

  test('that is resumed is nobody’s business: same connection, one stay, nothing told, and what was sent meanwhile arrives', async () => {
    const own = await connectHub(app, doctor);
    const there = await connectHub(app, patient, {}, { resumes: true });
    await own.subscribe(uid);
    await there.subscribe(uid);
    const id = there.connection.connectionId;
    const since = (await row())?.patientPresent;
    for (let cut = 0; cut < 3; cut++) {
      there.cut();
      await own.sendText({ session: uid, payload: `cut ${cut}`, key: randomUUID() });
      await expect.poll(() => there.heard.filter(({ message }) => message.type === 1).length).toBe(cut + 1);
    }
    expect(await there.sendText({ session: uid, payload: 'Here.', key: randomUUID() })).toBeGreaterThan(0);
    await own.hears(1);
    expect(there.connection.connectionId).toBe(id);
    expect(own.types()).not.toContain(-1);
    expect((await row())?.patientPresent).toBe(since);
  });

  test('that comes back within 30 s is the same arrival: announced once, waiting since the first', async () => {
    const front = await connectHub(app, admin);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await there.sendData({ type: 4, session: uid });
    await front.hears(0);
    const since = (await row())?.patientPresent;
    there.cut();
    await staysLeft(0);
    passGrace();
    await front.hears(-1);
    const again = await connectHub(app, patient);
    await again.subscribe(uid);
    await again.sendData({ type: 4, session: uid });
    expect((await row())?.patientPresent).toBe(since);
    expect(front.types().filter((type) => type === 0)).toHaveLength(1);
  });

  test('of a person in two tabs at once ends with one of them in the room', async () => {
    const tabs = await Promise.all([connectHub(app, doctor), connectHub(app, doctor), connectHub(app, doctor)]);
    await Promise.all(tabs.map((tab) => tab.subscribe(uid)));
    const there = await connectHub(app, patient);
    expect(await there.subscribe(uid)).toHaveLength(1);
    await expect.poll(() => tabs.filter((tab) => tab.types().includes(messageType.movedToOtherTab)).length).toBe(2);
  });
});

describe('chat', () => {
  test('is stored, then delivered, once; the same key answers with the same id @ENTITY-17 @CALL-8 @ROLE-8', async () => {
    const there = await connectHub(app, patient);
    const own = await connectHub(app, doctor);
    await there.subscribe(uid);
    await own.subscribe(uid);
    const text = { session: uid, payload: "  It's <b>fine</b>  ", key: 'key-of-mine-1' };
    const id = await there.sendText(text);
    expect(await there.sendText(text)).toBe(id);
    const { message } = await own.hears(1);
    expect(message).toMatchObject({
      type: 1,
      messageId: id,
      payload: "It's <b>fine</b>",
      userId: null,
      patientId: visit.patientId,
    });
    const reply = await own.sendText({ session: uid, payload: 'Good.', key: 'key-of-mine-1' });
    expect(reply).not.toBe(id);
    await there.hears(1);
    expect(own.types().filter((type) => type === 1)).toHaveLength(1);
    const { json } = await patient.call(listMessages, { params: { uid } });
    expect(json.data.map(({ messageId, userId }) => [messageId, userId])).toEqual([
      [id, null],
      [reply, visit.doctorId],
    ]);
  });

  test('takes neither card numbers, nor less than two, nor more than 1600 characters @VALID-3', async () => {
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    const send = (payload: string) =>
      there.sendText({ session: uid, payload, key: `key-${Math.abs(payload.length)}-xxxx` });
    await expect(send('4242 4242 4242 4242')).rejects.toThrow('card-number');
    await expect(send(' a ')).rejects.toThrow('Failed to invoke');
    await expect(send('x'.repeat(1601))).rejects.toThrow('Failed to invoke');
    await send('x'.repeat(1600));
  });
});
