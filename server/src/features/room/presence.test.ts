import { randomUUID } from 'node:crypto';
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { messageType } from '@roomside/contract/room/messages.ts';
import { listArrived } from '@roomside/contract/waiting-room/calls.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildRoom, listPresentPeerIds, readListRow } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { buildApp } from '../../app.ts';
import type { BuiltAppointment } from '../../demo/builders.ts';
import { sweepRooms } from './heartbeat.ts';

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

beforeEach(async () => {
  ({ appointment, uid, doctor, admin, patient } = await buildRoom(app));
});

const row = () => readListRow(admin, appointment);
const presentPeerIds = () => listPresentPeerIds(owner, appointment);

/** Runs everything that repeats now, such as the retries and the sweep. */
const runRepeating = () => clock.set(clock.now());

const minutesAgo = (minutes: number) => new Date(clock.now() - minutes * 60_000).toISOString();

/** An instance that started an hour ago and sent its last heartbeat `silentMinutes` ago. */
async function buildInstance(silentMinutes: number, ended = false): Promise<string> {
  const instanceId = randomUUID();
  await owner.query(
    `insert into instances (instance_id, started_at, heartbeat_at, ended_at)
     values ($1, $2, $3, case when $4 then $3::timestamptz end)`,
    [instanceId, minutesAgo(60), minutesAgo(silentMinutes), ended],
  );
  onTestFinished(async () => {
    await owner.query('update instances set heartbeat_at = started_at where instance_id = $1', [instanceId]);
  });
  return instanceId;
}

/** Another instance over the same database. No backplane connects their hubs. */
async function startSecondInstance(): Promise<TestApp> {
  const { settings, publicUrl, log } = context;
  const secret = 'test-secret-test-secret-test-secret!';
  const database = app.database.application;
  const other = await buildApp({ settings, publicUrl, demo: false, secret, database, clock, log });
  const port = await other.listen('127.0.0.1', 0);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= other.close());
  onTestFinished(close);
  return { ...app, url: `http://127.0.0.1:${port}`, port, close };
}

/** Adds an attendance of the provider on that instance, and marks the provider as present in the visit. */
async function addProvider(instanceId: string, leftAt: string | null): Promise<void> {
  await owner.query(
    `insert into peers (company_id, appointment_id, patient_id, peer_id, role_id, user_id, connection_id, instance_id,
       joined_at, left_at) values ($1, $2, $3, 'D_elsewhere', 'D', $4, 'elsewhere', $5, $6, $7)`,
    [
      appointment.companyId,
      appointment.appointmentId,
      appointment.patientId,
      appointment.doctorId,
      instanceId,
      minutesAgo(10),
      leftAt,
    ],
  );
  await owner.query('update visits set provider_present_at = $2 where appointment_id = $1', [
    appointment.appointmentId,
    minutesAgo(10),
  ]);
}

/** A client like the room's: it reconnects and enters the room again. */
async function connectWithReconnect(person: Person, at = app) {
  const connection = new HubConnectionBuilder()
    .withUrl(`${at.url}/messaging`, { accessTokenFactory: () => person.token ?? '' })
    .configureLogging(LogLevel.None)
    .withAutomaticReconnect([0, 100, 1000])
    .build();
  let reconnects = 0;
  connection.onreconnected(() => {
    reconnects += 1;
    void connection.invoke('Subscribe', uid);
  });
  connection.on('Notify', () => undefined);
  await connection.start();
  onTestFinished(() => connection.stop());
  return { subscribe: () => connection.invoke('Subscribe', uid), reconnects: () => reconnects };
}

/** Long enough for a wrong reaction of the server to show. */
const waitForReaction = () => new Promise((resolve) => setTimeout(resolve, 500));

describe('sweepRooms: an instance that stopped', () => {
  test.each([
    ['died', false],
    ['shut down', true],
  ])('instance that %s: its peers are announced as gone, and the patient waits again', async (_how, ended) => {
    await buildInstance(0);
    const adminHub = await connectHub(app, admin);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await addProvider(await buildInstance(1, ended), null);
    await sweepRooms(context);
    const { user } = await patientHub.waitFor(messageType.userLeft);
    expect(user).toMatchObject({ peerId: 'D_elsewhere', roleId: 'D', userId: appointment.doctorId, patientId: null });
    await adminHub.waitFor(messageType.presenceChanged);
    expect((await row())?.providerPresent).toBeNull();
    expect((await row())?.patientPresent).not.toBeNull();
    expect(patientHub.received.filter(({ user: { roleId } }) => roleId === 'P')).toEqual([]);
  });

  test('instance with the patient: the arrival is withdrawn', async () => {
    await buildInstance(0);
    const adminHub = await connectHub(app, admin);
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await patientHub.sendData({ type: 4, session: uid });
    await adminHub.waitFor(messageType.patientArrived);
    await owner.query('update peers set instance_id = $2 where appointment_id = $1', [
      appointment.appointmentId,
      await buildInstance(1),
    ]);
    await sweepRooms(context);
    const { user } = await adminHub.waitFor(messageType.userLeft);
    expect(user).toMatchObject({ roleId: 'P', patientId: appointment.patientId });
    expect((await row())?.patientPresent).toBeNull();
  });

  test('instance that ended an attendance without an announcement: userLeft is sent and the patient waits', async () => {
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    await addProvider(await buildInstance(1, true), minutesAgo(1));
    await sweepRooms(context);
    await patientHub.waitFor(messageType.userLeft);
    expect((await row())?.providerPresent).toBeNull();
    expect((await row())?.status).toBe('waiting');
  });

  test('instance whose peers reconnect elsewhere: only a peer that did not is announced as gone', async () => {
    const other = await startSecondInstance();
    const patientHub = await connectHub(app, patient);
    const colleague = await connectHub(other, admin);
    const doctorHub = await connectHub(other, doctor);
    for (const one of [patientHub, colleague, doctorHub]) await one.subscribe(uid);
    await other.close();
    expect(await presentPeerIds()).toHaveLength(3);
    const again = await connectHub(app, admin);
    await again.subscribe(uid);
    await buildInstance(0);
    await sweepRooms(context);
    expect(await presentPeerIds()).toHaveLength(3);
    expect(patientHub.types()).not.toContain(messageType.userLeft);
    await owner.query('update instances set heartbeat_at = $1 where ended_at is not null', [minutesAgo(1)]);
    await sweepRooms(context);
    const { user } = await patientHub.waitFor(messageType.userLeft);
    expect(user.userId).toBe(appointment.doctorId);
    expect(await presentPeerIds()).toHaveLength(2);
    expect((await row())?.providerPresent).not.toBeNull();
  });
});

describe('sweepRooms: an instance that was wrongly taken for dead', () => {
  test('has its clients reconnect, and they are present again', async () => {
    await buildInstance(0);
    const patientHub = await connectWithReconnect(patient);
    await patientHub.subscribe();
    // The instance sends its own heartbeats meanwhile, and one may come first.
    await expect
      .poll(async () => {
        await owner.query(
          `update instances set heartbeat_at = $1
           where instance_id in (select instance_id from peers where appointment_id = $2)`,
          [minutesAgo(1), appointment.appointmentId],
        );
        await sweepRooms(context);
        return presentPeerIds();
      })
      .toEqual([]);
    expect((await admin.call(listArrived)).json.data).toEqual([]);
    runRepeating();
    // Where the heartbeat is being sent already, the next one does it, five seconds later.
    await expect.poll(patientHub.reconnects).toBe(1);
    await expect.poll(presentPeerIds).toHaveLength(1);
    expect((await admin.call(listArrived)).json.data).toMatchObject([{ appointmentUid: uid }]);
    runRepeating();
    await waitForReaction();
    expect(patientHub.reconnects()).toBe(1);
  });

  test('does not reconnect a tab that another tab has replaced', async () => {
    const first = await connectWithReconnect(doctor);
    // Without a backplane the first instance does not receive the event.
    const second = await connectWithReconnect(doctor, await startSecondInstance());
    await first.subscribe();
    await second.subscribe();
    runRepeating();
    await waitForReaction();
    expect([first.reconnects(), second.reconnects()]).toEqual([0, 0]);
  });

  test('all instances while the database was down: no attendance is ended', async () => {
    const patientHub = await connectHub(app, patient);
    await patientHub.subscribe(uid);
    const isSilent = async () => {
      const { rows } = await owner.query<{ silent: boolean }>(
        `select i.heartbeat_at < $2 as silent from instances i join peers p using (instance_id) where p.appointment_id = $1`,
        [appointment.appointmentId, minutesAgo(0.2)],
      );
      return rows[0]?.silent;
    };
    await owner.query('update instances set started_at = $1, heartbeat_at = $2', [minutesAgo(60), minutesAgo(1)]);
    await sweepRooms(context);
    runRepeating();
    // The instance's own heartbeat is one of several works that run at the same time.
    await expect.poll(isSilent).toBe(false);
    await addProvider(await buildInstance(1), null);
    await sweepRooms(context);
    expect(await presentPeerIds()).toHaveLength(2);
    expect(patientHub.types()).not.toContain(messageType.userLeft);
    // An instance that was started before the timeout may end attendances.
    await buildInstance(0);
    await sweepRooms(context);
    expect(await presentPeerIds()).toHaveLength(1);
  });
});
