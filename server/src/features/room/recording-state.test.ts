import { randomUUID } from 'node:crypto';
import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import {
  answerRecording,
  getRecordingState,
  type RecordingState,
  startRecording,
  stopRecording,
} from '@roomside/contract/room/recording-calls.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type BuiltRoom, buildRoom, listPresentPeerIds } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, startTestApp } from '../../../test/test-app.ts';

const app = await startTestApp();
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

let room: BuiltRoom;
beforeEach(async () => {
  room = await buildRoom(app, { allowRecording: true });
});

async function enter(person: Person) {
  const connection = await connectHub(app, person);
  await connection.subscribe(room.uid);
  return connection;
}
const params = () => ({ uid: room.uid });
const start = (person: Person) => person.call(startRecording, { params: params() });
const stop = (person: Person) => person.call(stopRecording, { params: params() });
const stateOf = async (person: Person) => (await person.call(getRecordingState, { params: params() })).json;
const answer = (person: Person, runId: number, allowed: boolean, streamId = 'stream-1') =>
  person.call(answerRecording, { params: params(), body: { runId, streamId, allowed } });
const pushed = ({ received }: Awaited<ReturnType<typeof enter>>) =>
  received.flatMap(({ message }) => (message.type === messageType.recordingChanged ? [message.recording] : []));

describe('recording of a room', () => {
  test('is asked for, runs when everyone has allowed it, and stops; everyone receives each state', async () => {
    const doctor = await enter(room.doctor);
    const patient = await enter(room.patient);
    const asked = await start(room.doctor);
    expect(asked.json).toMatchObject({ status: 'asking', name: 'Dana Doctor', answers: [], recorded: false });
    await expect.poll(() => pushed(patient).map(({ status }) => status)).toEqual(['asking']);
    const { json: running } = await answer(room.patient, asked.json.runId, true);
    expect(running).toMatchObject({
      status: 'running',
      recorded: true,
      answers: [{ allowed: true, streamId: 'stream-1', name: 'Pat Patient' }],
    });
    await expect.poll(() => pushed(doctor).at(-1)).toEqual(running);
    // What a page that was reloaded reads.
    const { json } = await room.patient.call(getTeleappointment, { params: params() });
    expect([json.recording, json.appointment.recorded, json.canRecord]).toEqual([running, true, false]);
    expect((await stop(room.doctor)).json).toMatchObject({ status: 'off', recorded: true });
    await expect.poll(() => pushed(patient).map(({ status }) => status)).toEqual(['asking', 'running', 'off']);
    const changes = pushed(patient).map(({ change }) => change);
    expect(changes).toEqual([...new Set(changes)].toSorted((a, b) => a - b));
    const { appointmentId } = room.appointment;
    const stored = await room.doctor.call(getAppointment, { params: { appointmentId }, query: {} });
    expect(stored.json.recorded).toBe(true);
    const { rows } = await owner.query<{ action: string; actor: string }>(
      `select action, split_part(actor, '_', 1) as actor from audit_log
       where (objects->>'appointmentId')::bigint = $1 and action ~ 'Recording$' order by audit_id`,
      [appointmentId],
    );
    expect(rows.map(({ action, actor }) => `${actor} ${action}`)).toEqual([
      'D startRecording',
      'P answerRecording',
      'D stopRecording',
    ]);
  });

  test('a refusal ends the question, and is stored with the person and the time', async () => {
    const doctor = await enter(room.doctor);
    await enter(room.patient);
    const { runId } = (await start(room.doctor)).json;
    const refused = await answer(room.patient, runId, false);
    expect(refused.json).toMatchObject({ status: 'off', recorded: false, answers: [{ allowed: false }] });
    await expect.poll(() => pushed(doctor).at(-1)?.status).toBe('off');
    const { rows } = await owner.query<{ allowed: boolean; peer_id: string }>(
      'select allowed, peer_id from recording_consents where run_id = $1 and answered_at is not null',
      [runId],
    );
    expect(rows).toEqual([{ allowed: false, peer_id: expect.stringMatching(`^P_${room.appointment.patientId}_`) }]);
    // A late answer to it changes nothing.
    expect((await answer(room.patient, runId, true)).json).toEqual(refused.json);
  });

  test('every other device has to allow it; one that leaves is not waited for', async () => {
    await enter(room.doctor);
    const admin = await enter(room.admin);
    await enter(room.patient);
    const { runId } = (await start(room.doctor)).json;
    expect((await answer(room.patient, runId, true)).json.status).toBe('asking');
    await admin.unsubscribe(room.uid);
    expect((await start(room.doctor)).json).toMatchObject({ status: 'running', runId });
  });

  test('a patient who reloads answers for the new stream; a refusal then does not stop the recording of the others', async () => {
    await enter(room.doctor);
    await enter(room.patient);
    const { runId } = (await start(room.doctor)).json;
    await answer(room.patient, runId, true);
    const streams = ({ answers }: RecordingState) => answers.map(({ streamId, allowed }) => [streamId, allowed]);
    const { json: second } = await answer(room.patient, runId, true, 'stream-2');
    expect(streams(second)).toEqual([['stream-2', true]]);
    const { json } = await answer(room.patient, runId, false, 'stream-3');
    expect(json.change).toBeGreaterThan(second.change);
    expect([json.status, streams(json)]).toEqual(['running', [['stream-3', false]]]);
  });

  test('one device records at a time; the recording of a device that has left is off, and another one may start', async () => {
    const doctor = await enter(room.doctor);
    await enter(room.admin);
    const { runId } = (await start(room.doctor)).json;
    await answer(room.admin, runId, true);
    expect((await start(room.admin)).problem.code).toBe('already-recording');
    await doctor.unsubscribe(room.uid);
    expect((await stateOf(room.patient)).status).toBe('off');
    expect((await start(room.admin)).json).toMatchObject({ status: 'running' });
  });

  test('device after a reload: continues the same recording; after a longer absence the recording is off', async () => {
    const before = await enter(room.doctor);
    const { runId } = (await start(room.doctor)).json;
    before.dropConnection();
    const present = () => listPresentPeerIds(owner, room.appointment);
    await expect.poll(present).toEqual([]);
    expect(await stateOf(room.doctor)).toMatchObject({ status: 'running', runId });
    const after = await enter(room.doctor);
    expect((await start(room.doctor)).json).toMatchObject({ status: 'running', runId });
    after.dropConnection();
    await expect.poll(present).toEqual([]);
    app.clock.set(app.clock.now() + 11_000);
    expect((await stateOf(room.doctor)).status).toBe('off');
  });

  test('is refused where the clinic has turned it off, to others than providers, and outside of the room', async () => {
    expect((await start(room.doctor)).problem.code).toBe('not-in-room');
    expect((await start(room.patient)).status).toBe(403);
    expect((await answer(room.patient, 1, true)).problem.code).toBe('not-in-room');
    const other = await buildRoom(app);
    const hub = await connectHub(app, other.doctor);
    await hub.subscribe(other.uid);
    const refused = await other.doctor.call(startRecording, { params: { uid: other.uid } });
    expect(refused.problem.code).toBe('recording-off');
    const { json } = await other.doctor.call(getTeleappointment, { params: { uid: other.uid } });
    expect(json.canRecord).toBe(false);
    expect((await other.doctor.call(startRecording, { params: { uid: randomUUID() } })).status).toBe(404);
  });
});
