import { randomUUID } from 'node:crypto';
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { messageType } from '@roomside/contract/room/messages.ts';
import { listArrived } from '@roomside/contract/waiting-room/calls.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectHub } from '../../../test/hub-client.ts';
import { openStaysOf, openVisit, rowOf } from '../../../test/open-visit.ts';
import { type Person, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { buildApp } from '../../app.ts';
import type { BuiltAppointment } from '../../demo/builders.ts';
import { sweepRooms } from './heartbeat.ts';

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

beforeEach(async () => {
  ({ visit, uid, doctor, admin, patient } = await openVisit(app));
});

const row = () => rowOf(admin, visit);
const openStays = () => openStaysOf(owner, visit);

/** Everything that repeats, the retries and the sweep among it, runs now. */
const repeatNow = () => clock.set(clock.now());

const minutesAgo = (minutes: number) => new Date(clock.now() - minutes * 60_000).toISOString();

/** A process beside the test's own that has beaten for an hour, and until so many minutes ago. */
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

/** Another application over the same database, as in another process; nothing joins their hubs. */
async function startBeside(): Promise<TestApp> {
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

/** The doctor's stay on that instance, and the visit as it was while he was there. */
async function seatDoctor(instanceId: string, leftAt: string | null): Promise<void> {
  await owner.query(
    `insert into peers (company_id, appointment_id, patient_id, peer_id, role_id, user_id, connection_id, instance_id,
       joined_at, left_at) values ($1, $2, $3, 'D_elsewhere', 'D', $4, 'elsewhere', $5, $6, $7)`,
    [visit.companyId, visit.appointmentId, visit.patientId, visit.doctorId, instanceId, minutesAgo(10), leftAt],
  );
  await owner.query('update visits set provider_present_at = $2 where appointment_id = $1', [
    visit.appointmentId,
    minutesAgo(10),
  ]);
}

/** A client as the room's: it comes back by itself, and enters its room again. */
async function connectReturning(person: Person, at = app) {
  const connection = new HubConnectionBuilder()
    .withUrl(`${at.url}/messaging`, { accessTokenFactory: () => person.token ?? '' })
    .configureLogging(LogLevel.None)
    .withAutomaticReconnect([0, 100, 1000])
    .build();
  let returns = 0;
  connection.onreconnected(() => {
    returns += 1;
    void connection.invoke('Subscribe', uid);
  });
  connection.on('Notify', () => undefined);
  await connection.start();
  onTestFinished(() => connection.stop());
  return { subscribe: () => connection.invoke('Subscribe', uid), returns: () => returns };
}

/** In which the server would have done what it must not do. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 500));

describe('a process that is no more', () => {
  test.each([
    ['died', false],
    ['ended in order', true],
  ])('and %s: the room is told of its people, and the patient waits again', async (_how, ended) => {
    await buildInstance(0);
    const front = await connectHub(app, admin);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await seatDoctor(await buildInstance(1, ended), null);
    await sweepRooms(context);
    const { user } = await there.hears(messageType.userLeft);
    expect(user).toMatchObject({ peerId: 'D_elsewhere', roleId: 'D', userId: visit.doctorId, patientId: null });
    await front.hears(messageType.presenceChanged);
    expect((await row())?.providerPresent).toBeNull();
    expect((await row())?.patientPresent).not.toBeNull();
    expect(there.heard.filter(({ user: { roleId } }) => roleId === 'P')).toEqual([]);
  });

  test('whose patient is gone with it has his announcement taken back', async () => {
    await buildInstance(0);
    const front = await connectHub(app, admin);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await there.sendData({ type: 4, session: uid });
    await front.hears(messageType.patientArrived);
    await owner.query('update peers set instance_id = $2 where appointment_id = $1', [
      visit.appointmentId,
      await buildInstance(1),
    ]);
    await sweepRooms(context);
    const { user } = await front.hears(messageType.userLeft);
    expect(user).toMatchObject({ roleId: 'P', patientId: visit.patientId });
    expect((await row())?.patientPresent).toBeNull();
  });

  test('and saw a provider off without a word: the patient does not count as with him', async () => {
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await seatDoctor(await buildInstance(1, true), minutesAgo(1));
    await sweepRooms(context);
    await there.hears(messageType.userLeft);
    expect((await row())?.providerPresent).toBeNull();
    expect((await row())?.status).toBe('waiting');
  });

  test('tells nobody of those who came back elsewhere; the one who did not is told of in time', async () => {
    const other = await startBeside();
    const there = await connectHub(app, patient);
    const colleague = await connectHub(other, admin);
    const own = await connectHub(other, doctor);
    for (const one of [there, colleague, own]) await one.subscribe(uid);
    await other.close();
    expect(await openStays()).toHaveLength(3);
    const again = await connectHub(app, admin);
    await again.subscribe(uid);
    await buildInstance(0);
    await sweepRooms(context);
    expect(await openStays()).toHaveLength(3);
    expect(there.types()).not.toContain(messageType.userLeft);
    await owner.query('update instances set heartbeat_at = $1 where ended_at is not null', [minutesAgo(1)]);
    await sweepRooms(context);
    const { user } = await there.hears(messageType.userLeft);
    expect(user.userId).toBe(visit.doctorId);
    expect(await openStays()).toHaveLength(2);
    expect((await row())?.providerPresent).not.toBeNull();
  });
});

describe('a process that was only thought dead', () => {
  test('has its people enter again, and they are there again', async () => {
    await buildInstance(0);
    const there = await connectReturning(patient);
    await there.subscribe();
    // Its own beat goes on meanwhile, and may be first.
    await expect
      .poll(async () => {
        await owner.query(
          `update instances set heartbeat_at = $1
           where instance_id in (select instance_id from peers where appointment_id = $2)`,
          [minutesAgo(1), visit.appointmentId],
        );
        await sweepRooms(context);
        return openStays();
      })
      .toEqual([]);
    expect((await admin.call(listArrived)).json.data).toEqual([]);
    repeatNow();
    await expect.poll(there.returns, { timeout: 5_000 }).toBe(1);
    await expect.poll(openStays, { timeout: 8_000 }).toHaveLength(1);
    expect((await admin.call(listArrived)).json.data).toMatchObject([{ appointmentUid: uid }]);
    repeatNow();
    await aMoment();
    expect(there.returns()).toBe(1);
  });

  test('leaves a tab alone whose place another one has taken', async () => {
    const first = await connectReturning(doctor);
    // The word of it was lost on its way between the processes.
    const second = await connectReturning(doctor, await startBeside());
    await first.subscribe();
    await second.subscribe();
    repeatNow();
    await aMoment();
    expect([first.returns(), second.returns()]).toEqual([0, 0]);
  });

  test('with all others, as the database was away: nobody gives anybody up', async () => {
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await owner.query('update instances set started_at = $1, heartbeat_at = $2', [minutesAgo(60), minutesAgo(1)]);
    await sweepRooms(context);
    repeatNow();
    await row();
    await seatDoctor(await buildInstance(1), null);
    await sweepRooms(context);
    expect(await openStays()).toHaveLength(2);
    expect(there.types()).not.toContain(messageType.userLeft);
    // One that has listened for long enough may.
    await buildInstance(0);
    await sweepRooms(context);
    expect(await openStays()).toHaveLength(1);
  });
});
