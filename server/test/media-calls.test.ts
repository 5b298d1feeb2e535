import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { listPhotos, uploadPhoto } from '@roomside/contract/photos/calls.ts';
import {
  deleteRecording,
  deleteRecordings,
  listRecordings,
  uploadRecording,
} from '@roomside/contract/recordings/calls.ts';
import { expect, test } from 'vitest';
import { buildAppointment, buildCompany, buildUser } from '../src/demo/builders.ts';
import { jpeg } from './build-file.ts';
import { buildRecording, recordedDevice } from './build-recording.ts';
import { password, startTestApp } from './test-app.ts';

const app = await startTestApp();

test('segments and pictures: are sent, listed, streamed by their addresses on the service, and deleted one or all @CALL-14 @ENTITY-11', async () => {
  const { companyId } = await buildCompany(app.context, { allowRecording: true });
  const { email, userId } = await buildUser(app.context, { companyId, role: 'D', password });
  const appointment = await buildAppointment(app.context, { companyId, doctorId: userId });
  const { appointmentId, appointmentUid, patientId } = appointment;
  const doctor = await app.signIn({ email, password });
  // The patient's device has allowed the recording.
  const { recordingId } = await buildRecording(app.context, appointment);

  const blob = randomBytes(200_000);
  const sent = await doctor.call(uploadRecording, {
    query: {
      appointmentUid,
      roleId: 'P',
      userId: patientId,
      serial: 'segment-0001',
      device: recordedDevice,
      started: '2030-01-01T10:00:00.000Z',
      stopped: '2030-01-01T10:00:05.000Z',
    },
    upload: { bytes: blob, type: 'video/mp4' },
    headers: { 'content-digest': `sha-256=:${createHash('sha256').update(blob).digest('base64')}:` },
  });
  const list = async () => (await doctor.call(listRecordings, { params: { appointmentId } })).json.data;
  const [track, ...others] = await list();
  expect(others).toEqual([]);
  const segment = track?.blobs.find(({ blobUid }) => blobUid === sent.json.blobUid);
  expect(segment).toMatchObject({ started: '2030-01-01T10:00:00.000Z', stopped: '2030-01-01T10:00:05.000Z' });
  expect(segment?.address).toMatch(new RegExp(`^/Recording/${sent.json.blobUid}\\?`));
  const streamed = await fetch(app.url + segment?.address, { headers: { range: 'bytes=1000-1999' } });
  expect(streamed.status).toBe(206);
  expect(Buffer.from(await streamed.arrayBuffer()).equals(blob.subarray(1000, 2000))).toBe(true);

  const data = Buffer.concat([jpeg, randomBytes(1_000)]);
  await doctor.call(uploadPhoto, {
    query: { session: appointmentUid, key: randomUUID() },
    upload: { bytes: data, type: 'image/jpeg' },
  });
  const [photo] = (await doctor.call(listPhotos, { params: { patientId } })).json.data;
  expect(photo?.address).toMatch(new RegExp(`^/Photo/${photo?.fileUid}\\?`));
  const image = await fetch(app.url + photo?.address);
  expect(Buffer.from(await image.arrayBuffer()).equals(data)).toBe(true);

  expect((await doctor.call(deleteRecording, { params: { recordingId } })).status).toBe(204);
  expect(await list()).toEqual([]);
  expect((await fetch(app.url + segment?.address)).status).toBe(404);
  await buildRecording(app.context, appointment);
  expect(await list()).toHaveLength(1);
  expect((await doctor.call(deleteRecordings, { params: { appointmentId } })).status).toBe(204);
  expect(await list()).toEqual([]);
});
