import { randomUUID } from 'node:crypto';
import { connectAppointment, getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { login } from '@roomside/contract/auth/calls.ts';
import { cancelMyAppointment, listMyAppointments } from '@roomside/contract/my-appointments/calls.ts';
import { deletePatient } from '@roomside/contract/patients/calls.ts';
import { getTeleappointment, listMessages } from '@roomside/contract/room/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { getArrivedCount, listArrived } from '@roomside/contract/waiting-room/calls.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildGuest } from '../../../test/build-guest.ts';
import { buildRoom, listPresentPeerIds, readListRow } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';

const app = await startTestApp();
const { context, clock } = app;
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

let appointment: BuiltAppointment;
let doctor: Person;
let admin: Person;
let patient: Person;
let uid: string;

const signIn = async (companyId: number, role: 'A' | 'D' | 'U') => {
  const user = await buildUser(context, { companyId, role, password });
  return { ...user, person: await app.signIn({ email: user.email, password }) };
};

beforeEach(async () => {
  ({ appointment, uid, doctor, admin, patient } = await buildRoom(app));
});

const row = () => readListRow(admin, appointment);

describe('arrival', () => {
  test('type 4: notifies the staff once, and the patient is counted until a provider enters @HUB-2 @HUB-3 @STATE-1 @CALL-9 @MENU-4', async () => {
    const adminHub = await connectHub(app, admin);
    const doctorHub = await connectHub(app, doctor);
    const colleague = await connectHub(app, (await signIn(appointment.companyId, 'D')).person);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await adminHub.waitFor(messageType.presenceChanged);
    expect(adminHub.types()).not.toContain(0);
    await patientHub.sendData({ type: 4, session: uid });
    const { message, user } = await adminHub.waitFor(0);
    expect(message).toMatchObject({
      session: uid,
      appointment: { appointmentId: appointment.appointmentId, doctorId: appointment.doctorId, noCamera: false },
    });
    expect(user.roleId).toBe('P');
    await doctorHub.waitFor(0);
    await patientHub.sendData({ type: 4, session: uid });
    expect((await admin.call(getArrivedCount)).json).toBe(1);
    expect((await row())?.status).toBe('waiting');
    await doctorHub.subscribe(uid);
    expect((await admin.call(getArrivedCount)).json).toBe(0);
    expect((await admin.call(listArrived)).json.data).toMatchObject([
      { appointmentUid: uid, providerPresent: expect.any(String) },
    ]);
    expect((await row())?.status).toBe('inProgress');
    expect(adminHub.types().filter((type) => type === 0)).toHaveLength(1);
    expect(colleague.types()).toEqual([]);
  });

  test('arrival without video: is announced after 20 s with noCamera', async () => {
    const adminHub = await connectHub(app, admin);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    clock.set(clock.now() + 20_500);
    const { message } = await adminHub.waitFor(0);
    expect(message).toMatchObject({ appointment: { noCamera: true } });
  });

  test.each(['first entry', 'return'])('%s while the appointment gets another provider: waits for it', async (what) => {
    const { appointmentId, companyId } = appointment;
    const { userId, person: other } = await signIn(companyId, 'D');
    if (what === 'return') {
      const doctorHub = await connectHub(app, doctor);
      await doctorHub.subscribe(uid);
      await doctorHub.unsubscribe(uid);
    }
    const patientHub = await connectHub(app, patient);
    const change = (table: 'appointments' | 'visits') => (tx: Tx) =>
      tx.updateTable(table).set({ doctor_id: userId }).where('appointment_id', '=', appointmentId).execute();
    const changed = await holdUntilBlocking(context, companyId, change('appointments'), change('visits'));
    await Promise.all([patientHub.subscribe(uid), changed()]);
    expect((await other.call(listArrived)).json.data).toMatchObject([{ appointmentUid: uid }]);
    expect((await doctor.call(listArrived)).json.data).toEqual([]);
  });

  test('getTeleappointment: says when this user first entered, also after leaving and coming back', async () => {
    const joinedAt = async (person: Person) =>
      (await person.call(getTeleappointment, { params: { uid } })).json.joinedAt;
    expect(await joinedAt(doctor)).toBeNull();
    const hub = await connectHub(app, doctor);
    await hub.subscribe(uid);
    const entered = await joinedAt(doctor);
    expect(clock.now() - Date.parse(entered ?? '')).toBeLessThan(60_000);
    await hub.unsubscribe(uid);
    clock.set(clock.now() + 9 * 60_000);
    // The jump of the clock has ended the connection.
    await (await connectHub(app, patient)).subscribe(uid);
    await (await connectHub(app, doctor)).subscribe(uid);
    expect(await joinedAt(doctor)).toBe(entered);
    expect([await joinedAt(admin), await joinedAt(patient)]).toEqual([null, null]);
  });

  test('more than an hour early: Subscribe returns early and no patient is counted', async () => {
    const early = await buildAppointment(context, {
      companyId: appointment.companyId,
      patientId: appointment.patientId,
      startDate: new Date(clock.now() + 61 * 60_000).toISOString(),
    });
    const patientHub = await connectHub(app, await app.signInPatient(early.accessCode));
    await expect(patientHub.subscribe(early.appointmentUid)).rejects.toThrow('HubException: early');
    expect((await admin.call(getArrivedCount)).json).toBe(0);
  });
});

describe('room', () => {
  test('Subscribe and messages: return not-found for other patients, other companies and a Super', async () => {
    const otherAppointment = await buildAppointment(context, { companyId: appointment.companyId });
    const otherCompanyAdmin = (await signIn((await buildCompany(context)).companyId, 'A')).person;
    const superUser = await buildUser(context, { companyId: null, password });
    const others = [
      await app.signInPatient(otherAppointment.accessCode),
      otherCompanyAdmin,
      await app.signIn({ email: superUser.email, password }),
    ];
    const absent = 'f'.repeat(32);
    const added = await watchAudit(app);
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
    const rows = (await added()).filter(({ objects }) => objects['refused'] === 'not-found');
    const refused = rows.map(({ action, path, objects }) => [action, path, objects['count'] ?? 1]);
    // Each of them has asked for two rooms, within a second or not.
    expect(refused.reduce((all, [, , count]) => all + Number(count), 0)).toBe(2 * others.length);
    for (const [action, path] of refused) expect([action, path]).toEqual(['Subscribe', '/messaging']);
    expect(rows.every(({ actor, address }) => /^(Super|[ADUP])_\d+$/.test(actor) && address !== '')).toBe(true);
  });

  test('Subscribe returns the peers; type 2 goes to one peer, other types to all; server types are refused @HUB-3 @ENTITY-18', async () => {
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    const third = await connectHub(app, admin);
    await patientHub.subscribe(uid.toUpperCase());
    await patientHub.sendData({ type: 4, session: uid });
    const [peer] = await doctorHub.subscribe(uid);
    expect(peer).toMatchObject({
      roleId: 'P',
      patientId: appointment.patientId,
      ready: true,
      peerId: expect.stringMatching(/^P_\d+_[a-z0-9]{10}$/),
    });
    await third.subscribe(uid);
    await doctorHub.sendData({ type: 2, session: uid, to: peer?.peerId, payload: { description: 'x' } });
    expect(await patientHub.waitFor(2)).toMatchObject({
      message: { type: 2, session: uid, payload: { description: 'x' } },
      user: { roleId: 'D', userId: appointment.doctorId, peerId: expect.stringMatching(/^D_\d+_[a-z0-9]{10}$/) },
    });
    // Staff outside of the room hear who has arrived.
    expect(await third.waitFor(0)).toMatchObject({
      message: { type: 0, session: uid, appointment: { appointmentId: appointment.appointmentId } },
      user: { roleId: 'P', patientId: appointment.patientId },
    });
    await doctorHub.sendData({ type: 6, session: uid, payload: { mute: true } });
    await third.waitFor(6);
    expect(third.types()).not.toContain(2);
    await expect(doctorHub.sendData({ type: 2, session: uid })).rejects.toThrow('malformed');
    const added = await watchAudit(app);
    await expect(patientHub.sendData({ type: 6, session: uid })).rejects.toThrow('not-allowed');
    const companyId = appointment.companyId;
    expect(await added()).toMatchObject([
      { action: 'SendData', company_id: companyId, objects: { refused: 'not-allowed' } },
    ]);
    for (const type of [0, -1, -2, 1, 7, 99, 100, 101, 102, 1000])
      await expect(doctorHub.sendData({ type, session: uid } as never)).rejects.toThrow('Failed to invoke');
  });

  test('a person who enters again and again: refused after 60 entries in 10 s over all connections, and again allowed later', async () => {
    const hubs = await Promise.all([1, 2].map(() => connectHub(app, doctor)));
    const other = await connectHub(app, admin);
    onTestFinished(clock.freeze());
    const enter = async (hub: (typeof hubs)[number] | undefined) =>
      hub?.subscribe(uid).then(
        () => 'entered',
        (error: Error) => error.message,
      );
    const results: (string | undefined)[] = [];
    for (let i = 0; i < 62; i += 1) results.push(await enter(hubs[i % 2]));
    const refused = results.filter((result) => result?.includes('too-many')).length;
    expect([results.filter((result) => result === 'entered').length, refused]).toEqual([60, 2]);
    expect(await enter(other)).toBe('entered');
    clock.set(clock.now() + 10_000);
    expect(await enter(hubs[0])).toBe('entered');
  });

  test('second tab: replaces the first, which receives movedToOtherTab', async () => {
    const first = await connectHub(app, doctor);
    const second = await connectHub(app, doctor);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await first.subscribe(uid);
    await second.subscribe(uid);
    await first.waitFor(messageType.movedToOtherTab);
    await patientHub.sendData({ type: 4, session: uid });
    await second.waitFor(4);
    expect(first.types()).not.toContain(4);
    await expect(first.sendData({ type: 4, session: uid })).rejects.toThrow('not-found');
    expect(patientHub.types()).not.toContain(-1);
  });

  test('type 3 from staff after both sides met: patients are removed, the link shows ended, the list shows completed @STATE-16 @CALL-8', async () => {
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    await doctorHub.sendData({ type: 3, session: uid });
    const { user } = await patientHub.waitFor(3);
    expect(user.roleId).toBe('D');
    await expect(patientHub.sendData({ type: 4, session: uid })).rejects.toThrow('not-found');
    await expect(patientHub.subscribe(uid)).rejects.toThrow('ended');
    expect((await patient.call(getTeleappointment, { params: { uid } })).json.appointment.ended).toBe(true);
    await doctorHub.unsubscribe(uid);
    // The server removes the patient after the message.
    await expect.poll(async () => (await row())?.status).toBe('completed');
    // Staff who enter again reopen the room.
    await doctorHub.subscribe(uid);
    await patientHub.subscribe(uid);
  });

  test('type 3 from staff many times in a moment: the visit ends once, with one audit row', async () => {
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    const end = () => doctorHub.sendData({ type: 3, session: uid });
    await end();
    const from = performance.now();
    await Promise.all(Array.from({ length: 20 }, end));
    const { rows } = await owner.query(
      `select from audit_log where action = 'EndVisit' and objects->>'appointmentId' = $1`,
      [String(appointment.appointmentId)],
    );
    expect(rows.length).toBeGreaterThanOrEqual(1);
    // A very slow machine takes some seconds for them.
    expect(rows.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - from) / 1000));
  });

  test('type 3 from staff before both sides met: the appointment is not completed and the link works', async () => {
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await patientHub.unsubscribe(uid);
    const doctorHub = await connectHub(app, doctor);
    await doctorHub.subscribe(uid);
    const { secret } = await buildGuest(context, appointment);
    const guestHub = await connectHub(app, await app.signInGuest(secret));
    await guestHub.subscribe(uid);
    await doctorHub.sendData({ type: 3, session: uid });
    // The guest goes on waiting.
    await guestHub.waitFor(-1);
    expect(guestHub.types()).not.toContain(3);
    await guestHub.sendData({ type: 4, session: uid });
    await doctorHub.unsubscribe(uid);
    expect((await row())?.status).toBe('scheduled');
    await patientHub.subscribe(uid);
    expect(guestHub.closed()).toBeUndefined();
  });

  test('type 3 from the patient: the patient has left immediately', async () => {
    const adminHub = await connectHub(app, admin);
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    await patientHub.sendData({ type: 3, session: uid });
    await doctorHub.waitFor(-1);
    await adminHub.waitFor(-1);
    expect((await row())?.patientPresent).toBeNull();
    expect((await row())?.status).not.toBe('completed');
  });

  test('deleting the patient: is refused during a visit and while the patient may come back; then the link is a wrong one', async () => {
    const remove = () => admin.call(deletePatient, { params: { patientId: appointment.patientId } });
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    // The visit goes on after its planned end.
    await owner.query(
      "update appointments set starts_at = starts_at - interval '2 h', ends_at = ends_at - interval '2 h' where appointment_id = $1",
      [appointment.appointmentId],
    );
    expect((await remove()).problem.code).toBe('patient-present');
    await patientHub.sendData({ type: 3, session: uid });
    await expect.poll(async () => (await admin.call(getArrivedCount)).json).toBe(0);
    expect((await remove()).problem.code).toBe('patient-present');
    const left = "update peers set left_at = left_at - interval '61 min' where appointment_id = $1";
    await owner.query(left, [appointment.appointmentId]);
    expect((await remove()).status).toBe(204);
    await expect.poll(() => String(patientHub.closed()), { timeout: 8_000 }).toContain('signed-out');
    const body = { isPatient: true, user: { email: appointment.accessCode } };
    expect((await app.anonymous().call(login, { body })).problem.code).toBe('wrong-code');
  });

  test('deleting the patient: is possible as soon as staff have ended the visit', async () => {
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    const doctorHub = await connectHub(app, doctor);
    await doctorHub.subscribe(uid);
    await doctorHub.sendData({ type: 3, session: uid });
    await expect.poll(async () => (await row())?.status).toBe('completed');
    await owner.query(
      "update appointments set starts_at = starts_at - interval '2 h', ends_at = ends_at - interval '2 h' where appointment_id = $1",
      [appointment.appointmentId],
    );
    const removed = () => admin.call(deletePatient, { params: { patientId: appointment.patientId } });
    expect((await removed()).status).toBe(204);
  });

  test('cancelling: ends the open room with a message and revokes the patient’s link @CALL-4 @STATE-2', async () => {
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    const { json } = await admin.call(getAppointment, {
      params: { appointmentId: appointment.appointmentId },
      query: {},
    });
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
    const { message } = await patientHub.waitFor(3);
    expect(message).toMatchObject({ payload: { cancelled: true } });
    expect((await patient.call(getTeleappointment, { params: { uid } })).status).toBe(401);
    await expect.poll(() => String(patientHub.closed()), { timeout: 8_000 }).toContain('signed-out');
  });

  test('cancelling by the patient: ends the room that a provider has opened before', async () => {
    const { companyId, patientId, doctorId } = appointment;
    const startDate = new Date(clock.now() + 72 * 3_600_000).toISOString();
    const ahead = await buildAppointment(context, { companyId, patientId, doctorId, startDate });
    const doctorHub = await connectHub(app, doctor);
    await doctorHub.subscribe(ahead.appointmentUid);
    const owner = await app.signInPatient(ahead.accessCode);
    const { status } = await owner.call(cancelMyAppointment, {
      params: { uid: ahead.appointmentUid },
      body: { version: 0 },
    });
    expect(status).toBe(204);
    const { message, user } = await doctorHub.waitFor(messageType.cancelledByPatient);
    expect(message).toMatchObject({ session: ahead.appointmentUid });
    expect(user).toMatchObject({ roleId: 'P', patientId });
  });

  test('starting now: makes open calendars reload', async () => {
    const { companyId, patientId, doctorId } = appointment;
    const startDate = new Date(clock.now() + 72 * 3_600_000).toISOString();
    const { appointmentId } = await buildAppointment(context, { companyId, patientId, doctorId, startDate });
    const adminHub = await connectHub(app, admin);
    const countReloads = () => adminHub.types().filter((type) => type === messageType.scheduleChanged).length;
    // The connection joins its groups after the handshake.
    const joined = async () => {
      context.push.schedule(companyId);
      return countReloads();
    };
    await expect.poll(joined).toBeGreaterThan(0);
    // What was pushed before has arrived when this returns.
    await adminHub.subscribe(uid);
    const before = countReloads();
    expect((await admin.call(connectAppointment, { params: { appointmentId } })).status).toBe(200);
    await expect.poll(countReloads).toBe(before + 1);
  });

  test('change of provider: presence goes to the new provider', async () => {
    const next = await signIn(appointment.companyId, 'D');
    const before = await connectHub(app, doctor);
    const after = await connectHub(app, next.person);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await before.waitFor(messageType.presenceChanged);
    const { json } = await admin.call(getAppointment, {
      params: { appointmentId: appointment.appointmentId },
      query: {},
    });
    const { appointmentId, version, startDate, patientId, externalId, welcomeMessage } = json;
    const kept = { appointmentId, version, startDate, patientId, externalId, welcomeMessage };
    const saved = await admin.call(saveAppointment, {
      body: { ...kept, doctorId: next.userId, cancelled: false, cancellationNotes: '', overbook: true },
    });
    expect(saved.status).toBe(200);
    await patientHub.unsubscribe(uid);
    const { user } = await after.waitFor(-1);
    expect(user.roleId).toBe('P');
    expect(before.types()).not.toContain(-1);
  });

  test('audit: has a row for entering, video and leaving, none for signaling', async () => {
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    for (let i = 0; i < 3; i += 1) await patientHub.sendData({ type: 4, session: uid });
    await doctorHub.sendData({ type: 6, session: uid, payload: { mute: true } });
    await patientHub.waitFor(6);
    await patientHub.unsubscribe(uid);
    const client = new pg.Client(app.database.owner);
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query<{ actor: string; action: string }>(
      `select actor, action from audit_log where path = '/messaging' and (objects->>'appointmentId')::bigint = $1
       order by audit_id`,
      [appointment.appointmentId],
    );
    expect(rows.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      `P_${appointment.patientId} Subscribe`,
      `D_${appointment.doctorId} Subscribe`,
      `P_${appointment.patientId} Ready`,
      `P_${appointment.patientId} Unsubscribe`,
    ]);
  });

  test('leaving: listMyAppointments returns the visit just left, although an earlier one is open too @ROOM-10', async () => {
    const { companyId, patientId, doctorId } = appointment;
    const startDate = new Date(clock.now() - 10 * 60_000).toISOString();
    const earlier = await buildAppointment(context, { companyId, patientId, doctorId, startDate, minutes: 5 });
    const next = async () => (await patient.call(listMyAppointments)).json.data.map((row) => row.appointmentUid);
    expect(await next()).toEqual([earlier.appointmentUid]);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    expect(await next()).toEqual([uid]);
    await patientHub.unsubscribe(uid);
    expect(await next()).toEqual([uid]);
  });
});

describe('lost connection', () => {
  /** Waits until the attendances of the lost connections have ended. The others are notified after the grace period. */
  const waitForPeers = (count: number) => expect.poll(() => listPresentPeerIds(owner, appointment)).toHaveLength(count);
  const passGracePeriod = () => clock.set(clock.now() + 5_000);

  test('userLeft is sent after the grace period, unless the peer has reconnected; the list keeps the time @STATE-15', async () => {
    const doctorHub = await connectHub(app, doctor);
    const patientHub = await connectHub(app, patient);
    await doctorHub.subscribe(uid);
    await patientHub.subscribe(uid);
    patientHub.dropConnection();
    const again = await connectHub(app, patient);
    await again.subscribe(uid);
    await again.sendData({ type: 4, session: uid });
    await doctorHub.waitFor(4);
    expect(doctorHub.types()).not.toContain(-1);
    again.dropConnection();
    await waitForPeers(1);
    expect((await row())?.patientPresent).not.toBeNull();
    passGracePeriod();
    await doctorHub.waitFor(-1);
    expect((await row())?.patientPresent).toBeNull();
  });

  test('stateful reconnect: keeps the connection and the attendance, and delivers the missed messages', async () => {
    const doctorHub = await connectHub(app, doctor);
    const patientHub = await connectHub(app, patient, {}, { resumes: true });
    await doctorHub.subscribe(uid);
    await patientHub.subscribe(uid);
    const id = patientHub.connection.connectionId;
    const since = (await row())?.patientPresent;
    for (let cut = 0; cut < 3; cut++) {
      patientHub.dropConnection();
      await doctorHub.sendText({ session: uid, payload: `cut ${cut}`, key: randomUUID() });
      await expect.poll(() => patientHub.received.filter(({ message }) => message.type === 1).length).toBe(cut + 1);
    }
    expect(await patientHub.sendText({ session: uid, payload: 'Here.', key: randomUUID() })).toBeGreaterThan(0);
    await doctorHub.waitFor(1);
    expect(patientHub.connection.connectionId).toBe(id);
    expect(doctorHub.types()).not.toContain(-1);
    expect((await row())?.patientPresent).toBe(since);
  });

  test('reconnect within 30 s: is the same arrival, announced once', async () => {
    const adminHub = await connectHub(app, admin);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await patientHub.sendData({ type: 4, session: uid });
    await adminHub.waitFor(0);
    const since = (await row())?.patientPresent;
    patientHub.dropConnection();
    await waitForPeers(0);
    passGracePeriod();
    await adminHub.waitFor(-1);
    const again = await connectHub(app, patient);
    await again.subscribe(uid);
    await again.sendData({ type: 4, session: uid });
    expect((await row())?.patientPresent).toBe(since);
    expect(adminHub.types().filter((type) => type === 0)).toHaveLength(1);
  });

  test('three tabs that subscribe at the same time: one of them is in the room', async () => {
    const tabs = await Promise.all([connectHub(app, doctor), connectHub(app, doctor), connectHub(app, doctor)]);
    await Promise.all(tabs.map((tab) => tab.subscribe(uid)));
    const patientHub = await connectHub(app, patient);
    expect(await patientHub.subscribe(uid)).toHaveLength(1);
    await expect.poll(() => tabs.filter((tab) => tab.types().includes(messageType.movedToOtherTab)).length).toBe(2);
  });
});

describe('chat', () => {
  test('message to a patient who was merged since the provider entered: is stored for the other one', async () => {
    const doctorHub = await connectHub(app, doctor);
    await doctorHub.subscribe(uid);
    const { companyId, patientId, appointmentId } = appointment;
    const { patientId: into } = await buildPatient(context, { companyId });
    await context.db.open({ kind: 'company', companyId }, (tx) =>
      sql`select merge_patient(${patientId}, ${into}, ${isoNow(clock)})`.execute(tx),
    );
    await doctorHub.sendText({ session: uid, payload: 'Hello.', key: 'key-of-a-merged-1' });
    const { rows } = await owner.query('select patient_id from chat_messages where appointment_id = $1', [
      appointmentId,
    ]);
    expect(rows).toEqual([{ patient_id: String(into) }]);
  });

  test('message: is stored and delivered once; a retry with the same key returns the same id @ENTITY-17 @CALL-8 @ROLE-8', async () => {
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    const text = { session: uid, payload: "  It's <b>fine</b>  ", key: 'key-of-mine-1' };
    const id = await patientHub.sendText(text);
    expect(await patientHub.sendText(text)).toBe(id);
    const { message } = await doctorHub.waitFor(1);
    expect(message).toMatchObject({
      type: 1,
      messageId: id,
      session: uid,
      payload: "It's <b>fine</b>",
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      userId: null,
      patientId: appointment.patientId,
      patient: { firstName: expect.stringMatching(/\S/), lastName: expect.stringMatching(/\S/) },
      user: null,
    });
    const reply = await doctorHub.sendText({ session: uid, payload: 'Good.', key: 'key-of-mine-1' });
    expect(reply).not.toBe(id);
    await patientHub.waitFor(1);
    expect(doctorHub.types().filter((type) => type === 1)).toHaveLength(1);
    const { json } = await patient.call(listMessages, { params: { uid } });
    expect(json.data.map(({ messageId, userId }) => [messageId, userId])).toEqual([
      [id, null],
      [reply, appointment.doctorId],
    ]);
  });

  test('message: is refused with a card number, with less than 2 and with more than 1600 characters @VALID-3', async () => {
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    const send = (payload: string) =>
      patientHub.sendText({ session: uid, payload, key: `key-${Math.abs(payload.length)}-xxxx` });
    await expect(send('4242 4242 4242 4242')).rejects.toThrow('card-number');
    await expect(send(' a ')).rejects.toThrow('Failed to invoke');
    await expect(send('x'.repeat(1601))).rejects.toThrow('Failed to invoke');
    await send('x'.repeat(1600));
  });
});
