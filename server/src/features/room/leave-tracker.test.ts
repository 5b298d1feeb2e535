import { messageType } from '@roomside/contract/room/messages.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildRoom, listPresentPeerIds, readListRow } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, startTestApp } from '../../../test/test-app.ts';
import type { BuiltAppointment } from '../../demo/builders.ts';

const app = await startTestApp();
const { clock } = app;
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

let appointment: BuiltAppointment;
let doctor: Person;
let admin: Person;
let patient: Person;
let uid: string;

beforeEach(async () => {
  ({ appointment, uid, doctor, admin, patient } = await buildRoom(app));
});

const row = () => readListRow(admin, appointment);
const presentPeerIds = () => listPresentPeerIds(owner, appointment);

/** Runs everything that repeats now, such as the retries and the sweep. */
const runRepeating = () => clock.set(clock.now());

/** Makes each update of this visit's peers fail. Returns the function that ends it. */
async function failPeerUpdates(): Promise<() => Promise<void>> {
  await owner.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'The disk is full.'; end $$;
    create trigger fail before update on peers for each row
      when (old.appointment_id = ${appointment.appointmentId}) execute function fail()`);
  let failing = true;
  const stop = async () => {
    if (failing) await owner.query('drop function fail cascade');
    failing = false;
  };
  onTestFinished(stop);
  return stop;
}

describe('leaving while the database fails', () => {
  test('Unsubscribe: ends the attendance and notifies the room after the failure', async () => {
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    const restore = await failPeerUpdates();
    await doctorHub.unsubscribe(uid);
    expect((await row())?.providerPresent).not.toBeNull();
    await restore();
    runRepeating();
    await patientHub.waitFor(messageType.userLeft);
    expect(await presentPeerIds()).toHaveLength(1);
    expect((await row())?.providerPresent).toBeNull();
  });

  test('Unsubscribe, then Subscribe on the same connection: the retry keeps the new attendance', async () => {
    const doctorHub = await connectHub(app, doctor);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    const restore = await failPeerUpdates();
    await doctorHub.unsubscribe(uid);
    await restore();
    await doctorHub.subscribe(uid);
    // The server's own sweep may have retried before the provider was back: then its message came before this one.
    await doctorHub.sendData({ type: 4, session: uid });
    await patientHub.waitFor(4);
    const before = patientHub.types().length;
    runRepeating();
    await row();
    await patientHub.sendData({ type: 4, session: uid });
    await doctorHub.waitFor(4);
    expect(await presentPeerIds()).toHaveLength(2);
    expect(patientHub.types().slice(before)).not.toContain(messageType.userLeft);
  });

  test('lost connection: is recorded and announced after the failure', async () => {
    const patientHub = await connectHub(app, patient);
    const doctorHub = await connectHub(app, doctor);
    await patientHub.subscribe(uid);
    await doctorHub.subscribe(uid);
    const restore = await failPeerUpdates();
    const logged = app.logged.length;
    doctorHub.dropConnection();
    const hasWarned = () => app.logged.slice(logged).some((line) => line.includes('it will be retried'));
    await expect.poll(hasWarned).toBe(true);
    await restore();
    runRepeating();
    await expect.poll(presentPeerIds).toHaveLength(1);
    expect(patientHub.types()).not.toContain(messageType.userLeft);
    // The grace period ends.
    clock.set(clock.now() + 5_000);
    await patientHub.waitFor(messageType.userLeft);
    expect((await row())?.providerPresent).toBeNull();
  });

  test('end of a visit: removes all devices of the patient from the room', async () => {
    const phone = await connectHub(app, patient);
    const laptop = await connectHub(app, await app.signInPatient(appointment.accessCode));
    const doctorHub = await connectHub(app, doctor);
    for (const one of [phone, laptop, doctorHub]) await one.subscribe(uid);
    const restore = await failPeerUpdates();
    await doctorHub.sendData({ type: 3, session: uid });
    await phone.waitFor(3);
    for (const one of [phone, laptop])
      await expect(one.sendText({ session: uid, payload: 'Still here?', key: 'key-12345' })).rejects.toThrow(
        'not-found',
      );
    await restore();
    runRepeating();
    await expect.poll(presentPeerIds).toHaveLength(1);
    expect((await row())?.patientPresent).toBeNull();
  });

  test('type 4: is relayed immediately and announced once, when the client has sent it again', async () => {
    const adminHub = await connectHub(app, admin);
    const doctorHub = await connectHub(app, doctor);
    const patientHub = await connectHub(app, patient);
    await doctorHub.subscribe(uid);
    await patientHub.subscribe(uid);
    const hello = { type: messageType.participantArrived, session: uid, payload: { hello: 'page-1' } };
    const restore = await failPeerUpdates();
    await expect(patientHub.sendData(hello)).rejects.toThrow('SendData');
    await doctorHub.waitFor(messageType.participantArrived);
    expect(adminHub.types()).not.toContain(messageType.patientArrived);
    await restore();
    await patientHub.sendData(hello);
    await patientHub.sendData(hello);
    await adminHub.waitFor(messageType.patientArrived);
    expect(doctorHub.types().filter((type) => type === messageType.participantArrived)).toHaveLength(3);
    expect(adminHub.types().filter((type) => type === messageType.patientArrived)).toHaveLength(1);
  });
});
