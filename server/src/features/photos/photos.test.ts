import { randomBytes, randomUUID } from 'node:crypto';
import { deleteAppointment } from '@roomside/contract/appointments/calls.ts';
import { maxPhotosOfVisit } from '@roomside/contract/limits.ts';
import { deletePatient } from '@roomside/contract/patients/calls.ts';
import { deletePhoto, downloadPhoto, getPhoto, listPhotos, uploadPhoto } from '@roomside/contract/photos/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { buildPhoto, jpeg } from '../../../test/build-file.ts';
import { buildRoom } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, startTestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment } from '../../demo/builders.ts';
import { newUid } from '../../platform/access-code.ts';
import { isoNow } from '../../platform/clock.ts';

const app = await startTestApp();
const { context } = app;

let appointment: BuiltAppointment;
let doctor: Person;
let patient: Person;
let uid: string;

beforeEach(async () => {
  ({ appointment, uid, doctor, patient } = await buildRoom(app));
});

const picture = () => Buffer.concat([jpeg, randomBytes(50_000)]);
const upload = (person: Person, { bytes = picture(), type = 'image/jpeg', key = randomUUID() } = {}) =>
  person.call(uploadPhoto, { query: { session: uid, key }, upload: { bytes, type } });
const list = async () => (await doctor.call(listPhotos, { params: { patientId: appointment.patientId } })).json.data;

async function enterBoth() {
  const hubs = { doctor: await connectHub(app, doctor), patient: await connectHub(app, patient) };
  await hubs.patient.subscribe(uid);
  await hubs.doctor.subscribe(uid);
  return hubs;
}

describe('uploadPhoto', () => {
  test('photo from staff: is in the patient’s list, and its image can be loaded by its address @CALL-12', async () => {
    const bytes = picture();
    const audited = await watchAudit(app);
    const { json } = await upload(doctor, { bytes });
    const [photo, ...rest] = await list();
    expect(rest).toEqual([]);
    expect(photo).toMatchObject({ fileUid: json.fileUid, patientId: appointment.patientId });
    expect(photo?.name).toMatch(/^Photo \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.jpg$/);
    expect(photo?.address).toMatch(new RegExp(`^/Photo/${json.fileUid}\\?access=`));
    const image = await fetch(app.url + photo?.address);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);
    const { appointmentId, patientId } = appointment;
    expect(await audited()).toMatchObject([
      { action: 'uploadPhoto', objects: { appointmentId, patientId, fileUid: json.fileUid } },
      { action: 'listPhotos', objects: { patientId, photos: [photo?.fileId] } },
      { action: 'downloadPhoto', objects: { patientId, fileUid: json.fileUid } },
    ]);
  });

  test('photo from the patient’s device: needs both sides in the room, and all in it are notified', async () => {
    expect((await upload(patient)).problem.code).toBe('not-together');
    const hubs = await enterBoth();
    const key = randomUUID();
    expect((await upload(patient, { key })).status).toBe(200);
    for (const hub of [hubs.doctor, hubs.patient]) {
      expect((await hub.waitFor(messageType.pictureTaken)).message).toMatchObject({ session: uid, key });
    }
    expect(await list()).toHaveLength(1);
    expect((await patient.call(listPhotos, { params: { patientId: appointment.patientId } })).status).toBe(403);
  });

  test('the same request from both sides: is stored once', async () => {
    await enterBoth();
    const key = randomUUID();
    const first = await upload(patient, { key });
    const second = await upload(doctor, { key });
    expect([first.json.fileUid !== null, second.json.fileUid]).toEqual([true, null]);
    expect((await list()).map(({ fileUid }) => fileUid)).toEqual([first.json.fileUid]);
  });

  test.each([
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a page', Buffer.from('<script>alert(1)</script>')],
    ['nothing', Buffer.alloc(0)],
  ])('%s that is declared as a JPEG: is refused', async (_what, bytes) => {
    expect((await upload(doctor, { bytes })).problem.code).toBe('wrong-media');
    expect(await list()).toEqual([]);
  });

  /** Pictures of the patient's device that are stored already. */
  async function buildOwn(count: number) {
    const { companyId: company_id, appointmentId: appointment_id, patientId: patient_id } = appointment;
    const rows = Array.from({ length: count }, () => ({
      company_id,
      appointment_id,
      patient_id,
      size: 1,
      file_uid: newUid(),
      request_key: newUid(),
      content_hash: Buffer.alloc(32),
      uploaded_at: isoNow(context.clock),
    }));
    await context.db.open({ kind: 'job', companyId: company_id }, (tx) =>
      tx.insertInto('photos').values(rows).execute(),
    );
  }

  test('a patient’s device: cannot add any number of pictures', async () => {
    await enterBoth();
    await buildOwn(maxPhotosOfVisit);
    expect((await upload(patient)).problem.code).toBe('too-many-photos');
    expect((await upload(doctor)).status).toBe(200);
  });

  test('a patient’s device that sends many at the same time: the limit holds, and of the others nothing is left', async () => {
    await enterBoth();
    await buildOwn(maxPhotosOfVisit - 2);
    const blobs = async () => {
      let count = 0;
      for await (const _ of context.blobs.list(appointment.companyId)) count += 1;
      return count;
    };
    const before = await blobs();
    const answers = await Promise.all(Array.from({ length: 8 }, () => upload(patient)));
    const codes = answers.map(({ status, problem }) => (status === 200 ? 'stored' : problem.code));
    expect(codes.toSorted()).toEqual([...Array(2).fill('stored'), ...Array(6).fill('too-many-photos')]);
    expect(await list()).toHaveLength(maxPhotosOfVisit);
    expect((await blobs()) - before).toBe(2);
  });
});

describe('photos of a patient', () => {
  test('getPhoto: names its neighbors, the newer as previous', async () => {
    const [oldest, middle, newest] = [
      await buildPhoto(context, appointment),
      await buildPhoto(context, appointment),
      await buildPhoto(context, appointment),
    ];
    expect((await list()).map(({ fileUid }) => fileUid)).toEqual([newest, middle, oldest]);
    const neighbors = async (fileUid = '') => {
      const { previous, next } = (await doctor.call(getPhoto, { params: { fileUid } })).json;
      return [previous, next];
    };
    expect(await neighbors(newest)).toEqual([null, middle]);
    expect(await neighbors(middle)).toEqual([newest, oldest]);
    expect(await neighbors(oldest)).toEqual([middle, null]);
  });

  test('deletePhoto: deletes the row and the image', async () => {
    const fileUid = await buildPhoto(context, appointment);
    const [photo] = await list();
    expect((await doctor.call(deletePhoto, { params: { fileUid } })).status).toBe(204);
    expect(await list()).toEqual([]);
    expect((await doctor.call(downloadPhoto, { params: { fileUid } })).status).toBe(404);
    expect((await fetch(app.url + photo?.address)).status).toBe(404);
    await expect.poll(() => context.blobs.read({ companyId: appointment.companyId, uid: fileUid })).toBeNull();
  });

  test('an appointment with a photo: cannot be deleted; an archived patient’s photos are gone', async () => {
    const past = await buildAppointment(context, {
      companyId: appointment.companyId,
      startDate: new Date(context.clock.now() - 86_400_000).toISOString(),
    });
    const fileUid = await buildPhoto(context, past);
    const { appointmentId, patientId } = past;
    expect((await doctor.call(deleteAppointment, { params: { appointmentId } })).problem.code).toBe('has-activity');
    expect((await doctor.call(deletePatient, { params: { patientId } })).status).toBe(204);
    expect((await doctor.call(listPhotos, { params: { patientId } })).status).toBe(404);
    expect((await doctor.call(getPhoto, { params: { fileUid } })).status).toBe(404);
  });
});
