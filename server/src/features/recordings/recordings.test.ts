import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { deleteAppointment } from '@roomside/contract/appointments/calls.ts';
import { logout } from '@roomside/contract/auth/calls.ts';
import {
  deleteRecording,
  deleteRecordings,
  listRecordings,
  recordingTypes,
  uploadRecording,
} from '@roomside/contract/recordings/calls.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { announceUpload } from '../../../test/announce-upload.ts';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildRecording, recordedDevice } from '../../../test/build-recording.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { blobFolder } from '../../platform/data-folder.ts';

const app = await startTestApp();
const { context, clock } = app;
let companyId: number;
let doctor: Person;
let front: Person;
let viewerSignIn: { email: string; password: string };

beforeAll(async () => {
  ({ companyId } = await buildCompany(context, { allowRecording: true }));
  const signIn = async (role: 'D' | 'U') =>
    app.signIn({ email: (await buildUser(context, { companyId, role, password })).email, password });
  [doctor, front] = await Promise.all([signIn('D'), signIn('U')]);
  viewerSignIn = { email: (await buildUser(context, { companyId, role: 'U', password })).email, password };
});

/** An appointment whose patient has allowed a recording; with one segment. */
async function buildRecorded(content = Buffer.from('video')) {
  const { patientId } = await buildPatient(context, { companyId, firstName: 'Rosa', lastName: 'Diaz' });
  const appointment = await buildAppointment(context, { companyId, patientId });
  return { appointment, ...(await buildRecording(context, appointment, { content })) };
}

const segmentOf = ({ appointmentUid, patientId }: BuiltAppointment, values: object = {}) => ({
  appointmentUid,
  roleId: 'P' as const,
  userId: patientId,
  device: recordedDevice,
  serial: 'segment-0001',
  started: '2030-01-01T10:00:00.000Z',
  stopped: '2030-01-01T10:00:05.000Z',
  ...values,
});
const digest = (bytes: Buffer) => ({
  'content-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
});
const upload = (
  appointment: BuiltAppointment,
  bytes: Buffer,
  values: object = {},
  headers = digest(bytes),
  type = 'video/mp4',
) => doctor.call(uploadRecording, { query: segmentOf(appointment, values), upload: { bytes, type }, headers });
const list = async ({ appointmentId }: BuiltAppointment, person = front) =>
  (await person.call(listRecordings, { params: { appointmentId } })).json;
const get = (address: string, headers: Record<string, string> = {}) => fetch(`${app.url}${address}`, { headers });
/** Every stored or unfinished file. */
const stored = () =>
  fs
    .readdirSync(blobFolder(context.settings), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).length;

describe('uploadRecording', () => {
  test('stores a segment sealed; the same one again is stored once and has the same result', async () => {
    const { appointment } = await buildRecorded();
    const files = stored();
    const bytes = randomBytes(300_000);
    const first = await upload(appointment, bytes);
    expect(first.json.size).toBe(bytes.length);
    expect((await upload(appointment, bytes)).json).toEqual(first.json);
    expect(stored()).toBe(files + 1);
    const together = await Promise.all([1, 2, 3].map(() => upload(appointment, bytes, { serial: 'segment-0002' })));
    expect(new Set(together.map(({ json }) => json.blobUid)).size).toBe(1);
    await expect.poll(stored).toBe(files + 2);
    const { data } = await list(appointment);
    expect(data).toHaveLength(1);
    expect(data[0]?.blobs.map(({ size }) => size)).toEqual([5, 300_000, 300_000]);
  });

  test.each(recordingTypes)('%s: is stored, listed and played with its type', async (type) => {
    const { appointment } = await buildRecorded();
    const bytes = Buffer.from('content');
    const { blobUid } = (await upload(appointment, bytes, { serial: 'segment-0002' }, digest(bytes), type)).json;
    const blob = (await list(appointment)).data[0]?.blobs.find((one) => one.blobUid === blobUid);
    expect(blob?.mediaType).toBe(type);
    const played = await get(blob?.address ?? '');
    expect(played.headers.get('content-type')).toBe(type);
    await played.body?.cancel();
  });

  test('content that differs from its digest, a wrong period: are refused and leave nothing', async () => {
    const { appointment } = await buildRecorded();
    const files = stored();
    const cut = await upload(appointment, Buffer.from('whole'), {}, digest(Buffer.from('other')));
    expect([cut.status, cut.problem.code]).toEqual([422, 'cut-off']);
    const period = await upload(appointment, Buffer.from('x'), { stopped: '2030-01-01T10:00:00.000Z' });
    expect([period.status, period.problem.code]).toEqual([422, 'invalid']);
    expect(stored()).toBe(files);
  });

  test('a device that has not allowed it, another appointment’s patient: are refused before the body is sent', async () => {
    const { appointment } = await buildRecorded();
    const other = await buildRecorded();
    for (const values of [{ device: 'unasked' }, { userId: other.appointment.patientId }]) {
      const input = { query: segmentOf(appointment, values), upload: { bytes: Buffer.from('x'), type: 'video/mp4' } };
      expect(await announceUpload(app.url, doctor, uploadRecording, input)).toBe(422);
    }
  });

  test.each([
    ['too large', { 'content-length': String(65 * 1024 * 1024) }, 413],
    ['no recording', { 'content-type': 'text/html' }, 415],
  ])('%s: is refused before the body is sent', async (_what, headers, status) => {
    const { appointment } = await buildRecorded();
    const input = { query: segmentOf(appointment), upload: { bytes: Buffer.from('x'), type: 'video/mp4' } };
    expect(await announceUpload(app.url, doctor, uploadRecording, input, headers)).toBe(status);
  });
});

describe('listRecordings', () => {
  test('has the names and segments of each track, with addresses that play ranges @ENTITY-10', async () => {
    const { appointment, recordingId, blobUid } = await buildRecorded(Buffer.from('0123456789'));
    const { appointment: shown, data } = await list(appointment);
    expect(shown).toMatchObject({ patient: { firstName: 'Rosa', lastName: 'Diaz' }, timeZone: 'America/New_York' });
    expect(data).toEqual([
      {
        recordingId,
        patient: { firstName: 'Rosa', lastName: 'Diaz' },
        user: null,
        blobs: [
          {
            blobUid,
            started: expect.any(String),
            stopped: expect.any(String),
            mediaType: 'video/mp4',
            size: 10,
            address: expect.stringMatching(`^/Recording/${blobUid}\\?access=`),
          },
        ],
      },
    ]);
    const response = await get(data[0]?.blobs[0]?.address ?? '', { range: 'bytes=2-4' });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      206,
      'video/mp4',
      '234',
    ]);
    expect((await get(`/Recording/${blobUid}`)).status).toBe(401);
  });

  test('ranges within a second are one read of the audit log, and an ended sign-in opens nothing after it', async () => {
    const { appointment, recordingId, blobUid } = await buildRecorded(Buffer.from('0123456789'));
    const viewer = await app.signIn(viewerSignIn);
    const address = (await list(appointment, viewer)).data[0]?.blobs[0]?.address ?? '';
    const other = (await list(appointment)).data[0]?.blobs[0]?.address ?? '';
    clock.freeze();
    const readAudit = await watchAudit(app);
    const read = async (from: string, range: string) => (await get(from, { range: `bytes=${range}` })).status;
    expect([await read(address, '0-1'), await read(address, '4-5'), await read(address, '2-3')]).toEqual([
      206, 206, 206,
    ]);
    const played = async () => (await readAudit()).filter(({ path }) => path.startsWith('/Recording/'));
    expect(await played()).toMatchObject([{ objects: { blobUid } }]);
    // Another person's address of the same bytes is another read.
    await read(other, '0-1');
    expect(await played()).toHaveLength(2);
    clock.set(clock.now() + 1_001);
    await read(address, '0-1');
    expect(await played()).toHaveLength(3);
    expect((await viewer.call(logout, { body: { kind: 'staff' } })).status).toBe(204);
    clock.set(clock.now() + 1_001);
    expect(await read(address, '0-1')).toBe(401);
    // Deleted bytes are gone immediately, also for an address that has just opened them.
    expect(await read(other, '0-1')).toBe(206);
    expect((await doctor.call(deleteRecording, { params: { recordingId } })).status).toBe(204);
    await expect.poll(() => read(other, '0-1')).toBe(404);
  });

  test('appointment without recordings: returns an empty list', async () => {
    const appointment = await buildAppointment(context, { companyId });
    expect((await list(appointment)).data).toEqual([]);
  });
});

describe('deleteRecording and deleteRecordings', () => {
  test('delete rows and content; an appointment with recordings cannot be deleted', async () => {
    const { appointment, recordingId } = await buildRecorded();
    await upload(appointment, Buffer.from('more'));
    const { appointmentId } = appointment;
    const remove = () => doctor.call(deleteAppointment, { params: { appointmentId } });
    expect((await remove()).problem.code).toBe('has-activity');
    const files = stored();
    expect((await doctor.call(deleteRecording, { params: { recordingId } })).status).toBe(204);
    await expect.poll(stored).toBe(files - 2);
    expect((await list(appointment)).data).toEqual([]);
    expect((await remove()).status).toBe(204);
  });

  test('deleteRecordings: deletes all of an appointment; staff without the right may look only', async () => {
    const { appointment } = await buildRecorded();
    const { appointmentId } = appointment;
    const files = stored();
    expect((await front.call(deleteRecordings, { params: { appointmentId } })).status).toBe(403);
    expect((await list(appointment)).data).toHaveLength(1);
    expect((await doctor.call(deleteRecordings, { params: { appointmentId } })).status).toBe(204);
    await expect.poll(stored).toBe(files - 1);
    expect((await list(appointment)).data).toEqual([]);
  });
});
