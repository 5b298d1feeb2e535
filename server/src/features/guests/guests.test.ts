import { saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { refresh } from '@roomside/contract/auth/calls.ts';
import {
  getGuestVisit,
  getInvitation,
  inviteGuest,
  joinAsGuest,
  listGuests,
  removeGuest,
  sendGuestLink,
} from '@roomside/contract/guests/calls.ts';
import { cancelMyAppointment } from '@roomside/contract/my-appointments/calls.ts';
import { uploadPhoto } from '@roomside/contract/photos/calls.ts';
import { getTeleappointment, listMessages } from '@roomside/contract/room/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { answerRecording, startRecording } from '@roomside/contract/room/recording-calls.ts';
import { moveAppointment } from '@roomside/contract/schedule/calls.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jpeg } from '../../../test/build-file.ts';
import { buildRecords } from '../../../test/build-records.ts';
import { type BuiltRoom, buildRoom, listPresentPeerIds } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildAppointment, buildPatient } from '../../demo/builders.ts';
import { isoNow } from '../../platform/clock.ts';
import { openSignIn } from '../../platform/open-sign-in.ts';

const app = await startTestApp();
const { context } = app;
const owner = new pg.Client(app.database.owner);
beforeAll(() => owner.connect());
afterAll(() => owner.end());

const maria = { name: 'Maria Lopez', role: 'interpreter' } as const;

async function invite({ uid, doctor }: BuiltRoom, body: { email?: string; phone?: string; name?: string } = {}) {
  const response = await doctor.call(inviteGuest, { params: { uid }, body: { ...maria, ...body } });
  if (response.status !== 200) throw new Error(response.text);
  return readGuest({ uid, doctor }, response.json.guestId);
}

async function readGuest({ uid, doctor }: Pick<BuiltRoom, 'uid' | 'doctor'>, id: number) {
  const { data } = (await doctor.call(listGuests, { params: { uid } })).json;
  const guest = data.find(({ guestId }) => guestId === id);
  if (!guest) throw new Error('The guest is not listed.');
  return { ...guest, secret: guest.link.split('/').at(-1) ?? '' };
}

/** A room whose provider is inside, with a guest who has joined by the link. */
async function buildGuestRoom() {
  const room = await buildRoom(app);
  const doctorHub = await connectHub(app, room.doctor);
  await doctorHub.subscribe(room.uid);
  const invitation = await invite(room);
  const guest = await app.signInGuest(invitation.secret);
  return { ...room, doctorHub, invitation, guest };
}

const stateOf = async ({ uid, doctor }: BuiltRoom) =>
  (await doctor.call(listGuests, { params: { uid } })).json.data.map(({ state }) => state);

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: Error) => error.message.replace(/^.*HubException: /, ''),
  );

async function actionsOf(actor: string): Promise<string[]> {
  const { rows } = await owner.query<{ action: string }>(
    'select action from audit_log where actor = $1 order by audit_id',
    [actor],
  );
  return rows.map(({ action }) => action);
}

describe('invitation', () => {
  test('is stored as a hash and sealed, and its link shows clinic, provider and the own name only', async () => {
    const room = await buildRoom(app, { companyName: 'Lakeside Clinic' });
    const { secret, link } = await invite(room, { email: 'maria@example.test' });
    expect(link).toBe(`http://localhost/#/guest/${secret}`);
    const { rows } = await owner.query('select * from visit_guests order by guest_id desc limit 1');
    expect(JSON.stringify(rows)).not.toContain(secret);
    for (const column of ['link_hash', 'link_cipher', 'contact'])
      expect((rows[0][column] as Buffer).toString('latin1')).not.toMatch(new RegExp(`${secret}|maria@`));
    const shown = await app.anonymous().call(getInvitation, { body: { link: secret } });
    expect(shown.json).toEqual({
      ...maria,
      companyName: 'Lakeside Clinic',
      doctor: { firstName: expect.any(String), lastName: expect.any(String) },
      startDate: expect.any(String),
      timeZone: expect.any(String),
    });
    const { json } = await room.doctor.call(getTeleappointment, { params: { uid: room.uid } });
    expect(shown.text).not.toContain(json.appointment.patient.lastName);
  });

  test('an unknown link: returns the same refusal as one that is over, and is slowed down', async () => {
    const person = app.anonymous();
    const unknown = await person.call(joinAsGuest, { body: { link: 'not-a-link-of-ours' } });
    expect([unknown.status, unknown.problem.code]).toEqual([401, 'invitation-over']);
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 12; attempt += 1)
      statuses.add((await person.call(getInvitation, { body: { link: 'guess' } })).status);
    expect([...statuses]).toEqual([401, 429]);
    const room = await buildRoom(app);
    const { secret } = await invite(room);
    // A valid link is not slowed down.
    expect((await person.call(getInvitation, { body: { link: secret } })).status).toBe(200);
    app.clock.set(app.clock.now() + 20 * 60_000);
  });

  test('sent again with the same key: makes one link, which is not stored with the key', async () => {
    const room = await buildRoom(app);
    const headers = { 'idempotency-key': 'a-lost-response' };
    const send = () => room.doctor.call(inviteGuest, { params: { uid: room.uid }, body: maria, headers });
    const { json } = await send();
    expect((await send()).json).toEqual(json);
    const { data } = (await room.doctor.call(listGuests, { params: { uid: room.uid } })).json;
    expect(data).toHaveLength(1);
    const { rows } = await owner.query<{ result: object }>(
      `select result from idempotency_keys where call = 'inviteGuest'`,
    );
    expect(rows.map(({ result }) => result)).toEqual([{ guestId: json.guestId }]);
  });

  test('sends its link to the typed contact only, at most three times', async () => {
    const room = await buildRoom(app);
    const without = await invite(room);
    const send = (guestId: number) => room.doctor.call(sendGuestLink, { params: { uid: room.uid, guestId } });
    expect((await send(without.guestId)).problem.code).toBe('no-contact');
    const { guestId, contact } = await invite(room, { phone: '2125550142' });
    expect(contact).toBe('2125550142');
    const statuses = [];
    for (let time = 0; time < 4; time += 1) statuses.push((await send(guestId)).status);
    expect(statuses).toEqual([204, 204, 204, 429]);
  });

  test('there are at most ten open ones, and none to a cancelled visit', async () => {
    const room = await buildRoom(app);
    for (let count = 0; count < 10; count += 1) await invite(room);
    const more = () => room.doctor.call(inviteGuest, { params: { uid: room.uid }, body: maria });
    expect((await more()).problem.code).toBe('too-many-guests');
    const [first] = (await room.doctor.call(listGuests, { params: { uid: room.uid } })).json.data;
    await room.doctor.call(removeGuest, { params: { uid: room.uid, guestId: first?.guestId ?? 0 } });
    expect((await more()).status).toBe(200);
  });
});

describe('guest', () => {
  test('enters when a provider is inside, chats with their name, and is on neither side of the visit', async () => {
    const room = await buildRoom(app);
    const invitation = await invite(room);
    const guest = await app.signInGuest(invitation.secret);
    const hub = await connectHub(app, guest);
    expect((await guest.call(getGuestVisit)).json).toMatchObject({ isOpen: false, name: 'Maria Lopez' });
    expect(await refusal(hub.subscribe(room.uid))).toBe('no-provider');
    const doctorHub = await connectHub(app, room.doctor);
    await doctorHub.subscribe(room.uid);
    expect((await guest.call(getGuestVisit)).json.isOpen).toBe(true);
    const [doctor] = await hub.subscribe(room.uid);
    expect(doctor?.roleId).toBe('D');
    await hub.sendData({ type: 4, session: room.uid });
    const greeted = await doctorHub.waitFor(4);
    const sender = { guestId: invitation.guestId, ...maria };
    expect(greeted.user).toMatchObject({ roleId: 'G', userId: null, patientId: null, guest: sender });
    await hub.sendText({ session: room.uid, payload: 'Good morning', key: 'first-message' });
    const said = await doctorHub.waitFor(1);
    expect(said.message).toMatchObject({ userId: null, patientId: null, user: null, patient: null, guest: sender });
    for (const reader of [room.doctor, room.patient, guest]) {
      const { data } = (await reader.call(listMessages, { params: { uid: room.uid } })).json;
      expect(data).toMatchObject([{ payload: 'Good morning', userId: null, patientId: null, guest: sender }]);
    }
    const { rows } = await owner.query('select * from visits where appointment_id = $1', [
      room.appointment.appointmentId,
    ]);
    expect(rows).toMatchObject([{ patient_present_at: null, first_arrived_at: null }]);
    expect(await stateOf(room)).toEqual(['in-room']);
    expect(await actionsOf(`G_${invitation.guestId}`)).toEqual(
      expect.arrayContaining(['joinAsGuest', 'Subscribe', 'SendText', 'listMessages']),
    );
  });

  test('gets no record of the patient with the room', async () => {
    const { uid, guest, doctor } = await buildGuestRoom();
    const { appointment, canRecord } = (await guest.call(getTeleappointment, { params: { uid } })).json;
    const { appointment: full } = (await doctor.call(getTeleappointment, { params: { uid } })).json;
    expect(appointment).toMatchObject({ appointmentId: 0, patientId: 0, welcomeMessage: '', duration: 0 });
    expect(appointment.patient).toEqual(full.patient);
    expect(canRecord).toBe(false);
  });

  test('is not notified of pictures and shared files of the patient', async () => {
    const { uid, doctor, patient, guest, doctorHub } = await buildGuestRoom();
    const [hub, patientHub] = [await connectHub(app, guest), await connectHub(app, patient)];
    for (const one of [hub, patientHub]) await one.subscribe(uid);
    const upload = { bytes: jpeg, type: 'image/jpeg' };
    expect((await doctor.call(uploadPhoto, { query: { session: uid, key: 'picture-0001' }, upload })).status).toBe(200);
    for (const one of [doctorHub, patientHub]) await one.waitFor(messageType.pictureTaken);
    // What is sent to the whole room later has arrived, and nothing before it.
    await doctorHub.sendText({ session: uid, payload: 'Thank you', key: 'after-the-picture' });
    await hub.waitFor(messageType.chat);
    expect(hub.types()).not.toContain(messageType.pictureTaken);
  });

  test('row-level security alone: a guest’s transaction reads these tables only', async () => {
    const { appointment } = await buildGuestRoom();
    await buildRecords(context, { companyId: appointment.companyId, patientId: appointment.patientId });
    const { rows: tables } = await owner.query<{ name: string }>(
      `select c.relname::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and not c.relispartition and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id')
         and has_table_privilege('app_user', c.oid, 'select') order by 1`,
    );
    const { rows: signIns } = await owner.query<{ id: string }>(
      `select max(sign_in_id) as id from sign_ins where kind = 'guest'`,
    );
    const seen = await context.db.begin(async (tx) => {
      await openSignIn(tx, Number(signIns[0]?.id), isoNow(context.clock));
      const found: Record<string, number> = {};
      for (const { name } of tables) {
        const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(name)}`.execute(tx);
        if (rows[0]?.n) found[name] = rows[0].n;
      }
      return found;
    });
    expect(seen).toEqual({
      // The visit, and the patient's name.
      appointments: 1,
      patients: 1,
      visits: 1,
      peers: 1,
      visit_guests: 1,
      // Of the company: its name, the names of its staff, and the key that opens the chat.
      companies: 1,
      users: expect.any(Number),
      data_keys: 1,
    });
  });

  test('may not mute others, record, or end the visit, and has no other room', async () => {
    const { uid, guest, doctorHub, appointment, doctor } = await buildGuestRoom();
    const other = await buildAppointment(context, {
      companyId: appointment.companyId,
      doctorId: appointment.doctorId,
      patientId: appointment.patientId,
      startDate: new Date(context.clock.now() + 3_600_000).toISOString(),
    });
    const foreign = await buildRoom(app);
    const hub = await connectHub(app, guest);
    await hub.subscribe(uid);
    expect(await refusal(hub.sendData({ type: 6, session: uid, payload: { muted: true } }))).toBe('not-allowed');
    expect(await refusal(hub.sendData({ type: 5, session: uid, payload: {} }))).toBe('not-allowed');
    for (const session of [other.appointmentUid, foreign.uid]) {
      expect(await refusal(hub.subscribe(session))).toBe('not-found');
      for (const call of [getTeleappointment, listMessages])
        expect((await guest.call(call, { params: { uid: session } })).status).toBe(404);
    }
    expect((await guest.call(startRecording, { params: { uid } })).status).toBe(403);
    // It is the guest's leaving, not the visit's end.
    await hub.sendData({ type: 3, session: uid });
    await doctorHub.waitFor(-1);
    const { appointment: after } = (await doctor.call(getTeleappointment, { params: { uid } })).json;
    expect(after.ended).toBe(false);
  });

  test('is asked before a recording, which waits for the answer', async () => {
    const room = await buildRoom(app, { allowRecording: true });
    const { uid, doctor } = room;
    await (await connectHub(app, doctor)).subscribe(uid);
    const invitation = await invite(room);
    const guest = await app.signInGuest(invitation.secret);
    await (await connectHub(app, guest)).subscribe(uid);
    const asked = await doctor.call(startRecording, { params: { uid } });
    expect(asked.json.status).toBe('asking');
    const body = { runId: asked.json.runId, streamId: 'a-stream', allowed: true };
    const answered = await guest.call(answerRecording, { params: { uid }, body });
    expect(answered.json).toMatchObject({ status: 'running', answers: [{ name: 'Maria Lopez', allowed: true }] });
  });

  test('opens the link on another device: the first one is signed out', async () => {
    const { uid, guest, invitation } = await buildGuestRoom();
    const first = await connectHub(app, guest);
    await first.subscribe(uid);
    const second = await app.signInGuest(invitation.secret);
    await expect.poll(() => String(first.closed())).toContain('signed-out');
    expect((await guest.call(getGuestVisit)).status).toBe(401);
    expect((await second.call(getGuestVisit)).status).toBe(200);
  });

  test('a reload: the cookie continues the sign-in, and the link in the same browser keeps it', async () => {
    const { guest, invitation } = await buildGuestRoom();
    const renewed = await guest.call(refresh, { body: { kind: 'guest', active: true } });
    expect(renewed.json.signedIn).toBe(true);
    const again = await guest.call(joinAsGuest, { body: { link: invitation.secret } });
    expect(again.status).toBe(200);
    // The earlier token is of the same sign-in.
    expect((await guest.call(getGuestVisit)).status).toBe(200);
  });
});

describe('a guest who stays with the patient', () => {
  /** A guest and the patient inside, whose provider has left; the guest's connection is lost. */
  async function buildLeftAlone() {
    const room = await buildGuestRoom();
    const [hub, patientHub] = [await connectHub(app, room.guest), await connectHub(app, room.patient)];
    await patientHub.subscribe(room.uid);
    await hub.subscribe(room.uid);
    await room.doctorHub.unsubscribe(room.uid);
    hub.dropConnection();
    await expect.poll(() => listPresentPeerIds(owner, room.appointment)).toHaveLength(1);
    return { ...room, patientHub, again: await connectHub(app, room.guest) };
  }

  test('guest whose connection is renewed after the provider has left: returns to the patient, unless removed', async () => {
    const { uid, again, doctor, invitation, appointment, patientHub, guest } = await buildLeftAlone();
    expect(await again.subscribe(uid)).toMatchObject([{ roleId: 'P' }]);
    // Another guest has not been inside.
    const other = await app.signInGuest((await invite({ uid, doctor } as BuiltRoom)).secret);
    expect(await refusal((await connectHub(app, other)).subscribe(uid))).toBe('no-provider');
    // No one is left to come back to.
    await again.unsubscribe(uid);
    await patientHub.unsubscribe(uid);
    expect(await refusal(again.subscribe(uid))).toBe('no-provider');
    expect((await guest.call(getGuestVisit)).json.isOpen).toBe(false);
    // Both had lost their connections: the page of the guest, who was first, sees that the patient is back.
    await patientHub.subscribe(uid);
    expect((await guest.call(getGuestVisit)).json.isOpen).toBe(true);
    expect((await other.call(getGuestVisit)).json.isOpen).toBe(false);
    expect(await again.subscribe(uid)).toHaveLength(1);
    const late = await connectHub(app, guest);
    await doctor.call(removeGuest, { params: { uid, guestId: invitation.guestId } });
    expect(await refusal(late.subscribe(uid))).not.toBe('done');
    await expect.poll(() => listPresentPeerIds(owner, appointment)).toHaveLength(1);
  });

  test('guest who left minutes ago: needs the provider again', async () => {
    const { uid, again } = await buildLeftAlone();
    await owner.query(`update peers set joined_at = joined_at - interval '6 minutes', left_at = left_at - interval '6 minutes'
      where role_id = 'G' and left_at is not null`);
    expect(await refusal(again.subscribe(uid))).toBe('no-provider');
  });
});

describe('full room', () => {
  test('a guest is refused as the fifth person; the patient and staff enter', async () => {
    const { uid, guest, patient, admin, doctorHub, appointment, ...room } = await buildGuestRoom();
    const guestHub = await connectHub(app, guest);
    await guestHub.subscribe(uid);
    const second = await app.signInGuest(
      (await invite({ uid, guest, patient, admin, appointment, ...room } as BuiltRoom)).secret,
    );
    const third = await app.signInGuest(
      (await invite({ uid, guest, patient, admin, appointment, ...room } as BuiltRoom)).secret,
    );
    await (await connectHub(app, second)).subscribe(uid);
    const thirdHub = await connectHub(app, third);
    expect(await refusal(thirdHub.subscribe(uid))).toBe('full');
    expect(await (await connectHub(app, patient)).subscribe(uid)).toHaveLength(3);
    expect(await (await connectHub(app, admin)).subscribe(uid)).toHaveLength(4);
    // A guest whose connection is renewed comes back to the others, although they are more now.
    guestHub.dropConnection();
    await expect.poll(() => listPresentPeerIds(owner, appointment)).toHaveLength(4);
    expect(await (await connectHub(app, guest)).subscribe(uid)).toHaveLength(4);
    expect(await refusal(thirdHub.subscribe(uid))).toBe('full');
    await doctorHub.sendData({ type: 6, session: uid, payload: { muted: true } });
    expect(await listPresentPeerIds(owner, appointment)).toHaveLength(5);
  });
});

describe('the end of an invitation', () => {
  /** Resolves when the guest is out, by hub and by HTTP. */
  async function isOut(guest: Person, hub: Awaited<ReturnType<typeof connectHub>>, secret: string) {
    // The check runs every ten seconds. The bound leaves time for a busy machine.
    await expect.poll(() => String(hub.closed()), { timeout: 8_000, interval: 20 }).toContain('signed-out');
    expect((await guest.call(getGuestVisit)).status).toBe(401);
    expect((await guest.call(refresh, { body: { kind: 'guest', active: true } })).json.signedIn).toBe(false);
    const link = await app.anonymous().call(joinAsGuest, { body: { link: secret } });
    expect([link.status, link.problem.code]).toEqual([401, 'invitation-over']);
  }

  test('remove: disconnects the guest, and tells the pages which peer to drop', async () => {
    const { uid, doctor, doctorHub, guest, invitation, ...room } = await buildGuestRoom();
    const hub = await connectHub(app, guest);
    await hub.subscribe(uid);
    const { status } = await doctor.call(removeGuest, { params: { uid, guestId: invitation.guestId } });
    expect(status).toBe(204);
    await isOut(guest, hub, invitation.secret);
    const { message } = await doctorHub.waitFor(111);
    expect(message).toMatchObject({ peerId: expect.stringMatching(`^G_${invitation.guestId}_`) });
    await doctorHub.waitFor(-1);
    expect(await listPresentPeerIds(owner, room.appointment)).toHaveLength(1);
    expect(await stateOf({ uid, doctor, ...room })).toEqual(['removed']);
    // The rest of the room goes on.
    expect(doctorHub.closed()).toBeUndefined();
  });

  test('the visit ends: the guest is signed out for good, also when staff come back', async () => {
    const { uid, patient, doctorHub, guest, invitation, ...room } = await buildGuestRoom();
    const hub = await connectHub(app, guest);
    await hub.subscribe(uid);
    await (await connectHub(app, patient)).subscribe(uid);
    await doctorHub.sendData({ type: 3, session: uid });
    await isOut(guest, hub, invitation.secret);
    await doctorHub.unsubscribe(uid);
    await doctorHub.subscribe(uid);
    expect((await app.anonymous().call(joinAsGuest, { body: { link: invitation.secret } })).status).toBe(401);
    expect(await stateOf({ uid, patient, ...room })).toEqual(['expired']);
  });

  test('invitation while the appointment is cancelled: waits, and is refused', async () => {
    const { appointment, doctor, uid } = await buildRoom(app);
    const { companyId, appointmentId } = appointment;
    const now = isoNow(context.clock);
    const cancelled = await holdUntilBlocking(context, companyId, (tx) =>
      tx
        .updateTable('appointments')
        .set({ cancelled: true, cancelled_at: now })
        .where('appointment_id', '=', appointmentId)
        .execute(),
    );
    const [{ problem }] = await Promise.all([
      doctor.call(inviteGuest, { params: { uid }, body: { ...maria } }),
      cancelled(),
    ]);
    expect(problem.code).toBe('appointment-cancelled');
  });

  test('the appointment gets another patient: the guest is signed out', async () => {
    const { appointment, doctor, ...room } = await buildRoom(app);
    const { companyId, doctorId } = appointment;
    const startDate = new Date(context.clock.now() + 3_600_000).toISOString();
    const later = await buildAppointment(context, { companyId, doctorId, startDate });
    const { appointmentId, appointmentUid: uid } = later;
    const invitation = await invite({ ...room, appointment: later, doctor, uid });
    const guest = await app.signInGuest(invitation.secret);
    const hub = await connectHub(app, guest);
    const { patientId } = await buildPatient(context, { companyId });
    const texts = { cancellationNotes: '', externalId: '', welcomeMessage: '' };
    const body = { appointmentId, version: 0, startDate, doctorId, patientId, cancelled: false, ...texts };
    expect((await doctor.call(saveAppointment, { body })).status).toBe(200);
    await isOut(guest, hub, invitation.secret);
  });

  test('the patient cancels: the guest is signed out', async () => {
    const { appointment, doctor, uid, ...room } = await buildRoom(app);
    const later = await buildAppointment(context, {
      companyId: appointment.companyId,
      doctorId: appointment.doctorId,
      patientId: appointment.patientId,
      startDate: new Date(context.clock.now() + 72 * 3_600_000).toISOString(),
    });
    const invitation = await invite({ ...room, appointment: later, doctor, uid: later.appointmentUid });
    const guest = await app.signInGuest(invitation.secret);
    const hub = await connectHub(app, guest);
    const patient = await app.signInPatient(later.accessCode);
    const cancelled = await patient.call(cancelMyAppointment, {
      params: { uid: later.appointmentUid },
      body: { version: 0 },
    });
    expect(cancelled.status).toBe(204);
    await isOut(guest, hub, invitation.secret);
    expect(uid).not.toBe(later.appointmentUid);
  });

  test('appointment moved to another day: ends the invitation; moved on the same day: keeps it', async () => {
    const room = await buildRoom(app, { timeZone: 'America/New_York' });
    const { appointmentId, companyId, doctorId, patientId } = room.appointment;
    const startDate = '2035-03-05T15:00:00.000Z';
    const later = await buildAppointment(context, { companyId, doctorId, patientId, startDate });
    const invitation = await invite({ ...room, uid: later.appointmentUid });
    const move = (to: string, version: number) =>
      room.doctor.call(moveAppointment, {
        params: { appointmentId: later.appointmentId },
        body: { startDate: to, doctorId, version, overbook: true },
      });
    expect((await move('2035-03-05T18:00:00.000Z', 0)).status).toBe(200);
    const guest = await app.signInGuest(invitation.secret);
    const hub = await connectHub(app, guest);
    // 11 p.m. on the 5th in New York is the same day, though not in UTC.
    expect((await move('2035-03-06T04:00:00.000Z', 1)).status).toBe(200);
    expect((await guest.call(getGuestVisit)).status).toBe(200);
    expect((await move('2035-03-06T15:00:00.000Z', 2)).status).toBe(200);
    await isOut(guest, hub, invitation.secret);
    expect(appointmentId).not.toBe(later.appointmentId);
  });

  test('the day of the visit is over: the link opens nothing', async () => {
    const { guest, invitation } = await buildGuestRoom();
    app.clock.set(app.clock.now() + 26 * 3_600_000);
    expect((await guest.call(getGuestVisit)).status).toBe(401);
    const link = await app.anonymous().call(getInvitation, { body: { link: invitation.secret } });
    expect(link.problem.code).toBe('invitation-over');
  });
});
