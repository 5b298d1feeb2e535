import { randomBytes } from 'node:crypto';
import type { Call } from '@roomside/contract/call.ts';
import { uploadCsv } from '@roomside/contract/csv-import/calls.ts';
import { listFiles, uploadFile } from '@roomside/contract/files/calls.ts';
import { uploadPhoto } from '@roomside/contract/photos/calls.ts';
import { listRecordings, uploadRecording } from '@roomside/contract/recordings/calls.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../src/demo/builders.ts';
import { buildRecording, recordedDevice } from './build-recording.ts';
import { formOf } from './csv-import.ts';
import { createLossyDatabase } from './lossy-database.ts';
import { type Person, password, startTestApp } from './test-app.ts';

const { database, loseCommit } = await createLossyDatabase();
const app = await startTestApp({ database });
const { context } = app;
let companyId: number;
let admin: Person;

beforeAll(async () => {
  ({ companyId } = await buildCompany(context, { allowRecording: true }));
  admin = await app.signIn({ email: (await buildUser(context, { companyId, role: 'A', password })).email, password });
});

/** Sends an upload whose commit is answered, without the answer arriving; then the same again. Returns the second answer. */
async function sendTwice<T extends { status: number }>({ name }: Call, send: () => Promise<T>): Promise<T> {
  // The audit row of the upload names the call.
  const lost = loseCommit(name);
  expect((await send()).status).toBe(503);
  await lost;
  const again = await send();
  expect(again.status).toBe(200);
  return again;
}

/** The uids in a column, which must all be stored; and the number of stored blobs. */
async function blobsOf(table: string, column: string) {
  const uids = await context.db.open({ kind: 'job', companyId }, async (tx) => {
    const { rows } = await sql<{ uid: string }>`select ${sql.ref(column)} as uid from ${sql.table(table)}`.execute(tx);
    return rows.map(({ uid }) => uid);
  });
  const stored: string[] = [];
  for await (const uid of context.blobs.list(companyId)) stored.push(uid);
  return { uids, missing: uids.filter((uid) => !stored.includes(uid)), total: stored.length };
}

test('a segment of a recording: the second upload finds the first one, which can be played', async () => {
  const { patientId } = await buildPatient(context, { companyId });
  const appointment = await buildAppointment(context, { companyId, patientId });
  const { recordingId } = await buildRecording(context, appointment);
  const bytes = randomBytes(100_000);
  const query = {
    appointmentUid: appointment.appointmentUid,
    roleId: 'P' as const,
    userId: patientId,
    device: recordedDevice,
    serial: 'segment-0001',
    started: '2030-01-01T10:00:00.000Z',
    stopped: '2030-01-01T10:00:05.000Z',
  };
  const { json } = await sendTwice(uploadRecording, () =>
    admin.call(uploadRecording, { query, upload: { bytes, type: 'video/mp4' } }),
  );
  expect(json.recordingId).toBe(recordingId);
  const { appointmentId } = appointment;
  const { data } = (await admin.call(listRecordings, { params: { appointmentId } })).json;
  const address = data[0]?.blobs.find(({ blobUid }) => blobUid === json.blobUid)?.address ?? '';
  const played = await fetch(`${app.url}${address}`);
  expect(Buffer.from(await played.arrayBuffer()).equals(bytes)).toBe(true);
});

test('a file, a photo, a CSV file: what was committed keeps its content, and no content is stored without a row', async () => {
  const { appointmentId, appointmentUid: session } = await buildAppointment(context, { companyId });
  const before = (await blobsOf('files', 'file_uid')).total;
  await sendTwice(uploadFile, () =>
    admin.call(uploadFile, {
      params: { appointmentId },
      query: { name: 'note.txt' },
      upload: { bytes: Buffer.from('text'), type: 'text/plain' },
    }),
  );
  expect((await admin.call(listFiles, { params: { appointmentId } })).json.data).toHaveLength(2);
  expect(await blobsOf('files', 'file_uid')).toMatchObject({ missing: [], total: before + 2 });

  const jpeg = Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100', 'hex'), randomBytes(2000)]);
  const { json } = await sendTwice(uploadPhoto, () =>
    admin.call(uploadPhoto, {
      query: { session, key: 'picture-0001' },
      upload: { bytes: jpeg, type: 'image/jpeg' },
    }),
  );
  expect(json.fileUid).toBe(null);
  expect(await blobsOf('photos', 'file_uid')).toMatchObject({ missing: [], total: before + 3 });

  const lost = loseCommit(uploadCsv.name);
  const upload = formOf('patients.csv', 'First name,Last name\nAnn,Lee\n');
  expect((await admin.call(uploadCsv, { query: {}, upload })).status).toBe(503);
  await lost;
  const { uids, missing } = await blobsOf('imports', 'file_uid');
  expect([uids.length, missing]).toEqual([1, []]);
});
