import { randomUUID } from 'node:crypto';
import { connectAppointment, getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { getTeleappointment, listMessages } from '@roomside/contract/room/calls.ts';
import { messageType } from '@roomside/contract/room/messages.ts';
import { moveAppointment } from '@roomside/contract/schedule/calls.ts';
import {
  announceDelay,
  handOverPatient,
  holdPatient,
  listArrived,
  saveDeviceCheck,
  writeToPatient,
} from '@roomside/contract/waiting-room/calls.ts';
import type { DeviceCheck } from '@roomside/contract/waiting-room/device-check.ts';
import { beforeEach, expect, test } from 'vitest';
import { buildRoom } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
clock.freeze();

let appointment: BuiltAppointment;
let doctor: Person;
let admin: Person;
let patient: Person;
let uid: string;

beforeEach(async () => {
  ({ appointment, uid, doctor, admin, patient } = await buildRoom(app));
});

/** The patient is in the room, alone. */
async function wait(person = patient, room = uid) {
  const hub = await connectHub(app, person);
  await hub.subscribe(room);
  await hub.sendData({ type: 4, session: room });
  return hub;
}

const card = async (person: Person, room = uid) =>
  (await person.call(listArrived)).json.data.find(({ appointmentUid }) => appointmentUid === room);
const waitingOf = async (person: Person) => (await person.call(getTeleappointment, { params: { uid } })).json.waiting;

test('hold: the patient’s page and the waiting room show it, and it ends when the provider enters', async () => {
  const hub = await wait();
  expect(await waitingOf(patient)).toEqual({ held: false, expectedAt: null });
  expect((await admin.call(holdPatient, { params: { uid }, body: { held: true } })).status).toBe(204);
  await hub.waitFor(messageType.waitingChanged);
  expect(await waitingOf(patient)).toEqual({ held: true, expectedAt: null });
  expect((await card(admin))?.held).toBe(true);
  const changes = () => hub.types().filter((type) => type === messageType.waitingChanged).length;
  expect(changes()).toBe(1);
  const doctorHub = await connectHub(app, doctor);
  await doctorHub.subscribe(uid);
  await expect.poll(changes).toBe(2);
  expect((await waitingOf(patient)).held).toBe(false);
  // Nothing is left that a provider who comes back would end.
  await doctorHub.unsubscribe(uid);
  await doctorHub.subscribe(uid);
  await hub.sendText({ session: uid, payload: 'Hello', key: 'after-the-second-entry' });
  await doctorHub.waitFor(messageType.chat);
  expect(changes()).toBe(2);
  const late = await admin.call(holdPatient, { params: { uid }, body: { held: true } });
  expect([late.status, late.json]).toMatchObject([409, { code: 'not-waiting' }]);
});

test('delay: all waiting patients of a provider get one time, other providers’ patients and later ones are not', async () => {
  const other = await buildUser(context, { companyId: appointment.companyId, role: 'D', password });
  const second = await buildAppointment(context, { companyId: appointment.companyId, doctorId: other.userId });
  const secondPatient = await app.signInPatient(second.accessCode);
  const hub = await wait();
  const secondHub = await wait(secondPatient, second.appointmentUid);
  const from = clock.now();
  // A provider speaks for their own patients, whatever the request says.
  expect((await doctor.call(announceDelay, { body: { minutes: 15, doctorId: other.userId } })).json).toBe(1);
  await hub.waitFor(messageType.waitingChanged);
  const { expectedAt } = await waitingOf(patient);
  expect(Date.parse(expectedAt ?? '')).toBeGreaterThanOrEqual(from + 15 * 60_000);
  expect(Date.parse(expectedAt ?? '')).toBeLessThanOrEqual(clock.now() + 15 * 60_000);
  expect((await card(admin))?.expectedAt).toBe(expectedAt);
  expect(secondHub.types()).not.toContain(messageType.waitingChanged);
  expect((await admin.call(announceDelay, { body: { minutes: 5, doctorId: null } })).json).toBe(2);
  await secondHub.waitFor(messageType.waitingChanged);
  const otherDoctor = await app.signIn({ email: other.email, password });
  await (await connectHub(app, otherDoctor)).subscribe(second.appointmentUid);
  const changes = () => secondHub.types().filter((type) => type === messageType.waitingChanged);
  await expect.poll(changes).toHaveLength(2);
  const { json } = await secondPatient.call(getTeleappointment, { params: { uid: second.appointmentUid } });
  expect(json.waiting.expectedAt).toBeNull();
  await hub.unsubscribe(uid);
  expect((await admin.call(announceDelay, { body: { minutes: 5, doctorId: appointment.doctorId } })).json).toBe(0);
  expect((await admin.call(announceDelay, { body: { minutes: 0, doctorId: null } })).status).toBe(422);
});

test('hand over: the other provider is notified like of an arrival, and the patient’s page names them', async () => {
  const other = await buildUser(context, { companyId: appointment.companyId, role: 'D', password });
  const otherDoctor = await app.signIn({ email: other.email, password });
  // The other provider has an appointment at this time: a waiting patient is seen beside it.
  await buildAppointment(context, { companyId: appointment.companyId, doctorId: other.userId });
  const hub = await wait();
  const otherHub = await connectHub(app, otherDoctor);
  const answer = await doctor.call(handOverPatient, { params: { uid }, body: { doctorId: other.userId } });
  expect(answer.status).toBe(204);
  const { message } = await otherHub.waitFor(messageType.patientArrived);
  expect(message).toMatchObject({ session: uid, appointment: { doctorId: other.userId } });
  await hub.waitFor(messageType.waitingChanged);
  expect(hub.types().filter((type) => type === messageType.waitingChanged)).toHaveLength(1);
  expect((await patient.call(getTeleappointment, { params: { uid } })).json.appointment.doctorId).toBe(other.userId);
  expect(await card(otherDoctor)).toBeDefined();
  expect(await card(doctor)).toBeUndefined();
  const staffUser = await buildUser(context, { companyId: appointment.companyId, role: 'U', password });
  const wrong = await admin.call(handOverPatient, { params: { uid }, body: { doctorId: staffUser.userId } });
  expect(wrong.status).toBe(404);
});

test('hand over: an early patient takes the other provider’s time, where it is free and where it is not', async () => {
  const { companyId, patientId } = appointment;
  const startDate = new Date(clock.now() + 50 * 60_000).toISOString();
  const early = await buildAppointment(context, { companyId, patientId, doctorId: appointment.doctorId, startDate });
  const free = await buildUser(context, { companyId, role: 'D' });
  const busy = await buildUser(context, { companyId, role: 'D' });
  await buildAppointment(context, { companyId, doctorId: busy.userId, startDate });
  await wait(await app.signInPatient(early.accessCode), early.appointmentUid);
  const handTo = async (doctorId: number) =>
    (await admin.call(handOverPatient, { params: { uid: early.appointmentUid }, body: { doctorId } })).status;
  const query = { params: { appointmentId: early.appointmentId }, query: {} };
  const create = async (doctorId: number) => {
    const texts = { cancelled: false, cancellationNotes: '', externalId: '', welcomeMessage: '' };
    const body = { ...texts, appointmentId: 0, version: 0, startDate, doctorId, patientId };
    return (await admin.call(saveAppointment, { body })).problem?.code;
  };
  expect(await handTo(busy.userId)).toBe(204);
  expect(await handTo(free.userId)).toBe(204);
  expect((await admin.call(getAppointment, query)).json.doctorId).toBe(free.userId);
  expect(await create(free.userId)).toBe('slot-taken');
  expect(await create(appointment.doctorId)).toBeUndefined();
});

const changes = {
  'drag and drop': () => {
    const { appointmentId, doctorId } = appointment;
    const startDate = new Date(clock.now() + 30 * 60_000).toISOString();
    return admin.call(moveAppointment, { params: { appointmentId }, body: { startDate, doctorId, version: 0 } });
  },
  'the form, to another provider': async () => {
    const { appointmentId, companyId, patientId } = appointment;
    const { userId: doctorId } = await buildUser(context, { companyId, role: 'D' });
    const texts = { cancelled: false, cancellationNotes: '', externalId: '', welcomeMessage: '' };
    const startDate = new Date(clock.now()).toISOString();
    const body = { ...texts, appointmentId, version: 0, startDate, doctorId, patientId };
    return admin.call(saveAppointment, { body });
  },
  'start now': () => {
    clock.set(clock.now() + 1_000);
    return admin.call(connectAppointment, { params: { appointmentId: appointment.appointmentId } });
  },
};

test.each(Object.entries(changes))(
  'waiting patient’s appointment is changed by %s: the pages in the room read the visit again, and the provider’s the waiting room',
  async (_, change) => {
    const hub = await wait();
    const doctorHub = await connectHub(app, doctor);
    expect((await change()).status).toBe(200);
    await hub.waitFor(messageType.waitingChanged);
    await doctorHub.waitFor(messageType.presenceChanged);
    expect(hub.types().filter((type) => type === messageType.waitingChanged)).toHaveLength(1);
  },
);

test('message: is stored in the visit’s chat and shown to the waiting patient, one time for a key', async () => {
  const hub = await wait();
  const body = { payload: '  We will be with you shortly.  ', key: randomUUID() };
  const first = await admin.call(writeToPatient, { params: { uid }, body });
  expect((await admin.call(writeToPatient, { params: { uid }, body })).json).toBe(first.json);
  const { message } = await hub.waitFor(messageType.chat);
  expect(message).toMatchObject({ payload: 'We will be with you shortly.', messageId: first.json });
  expect(hub.types().filter((type) => type === messageType.chat)).toHaveLength(1);
  const { data } = (await patient.call(listMessages, { params: { uid } })).json;
  expect(data).toMatchObject([{ payload: 'We will be with you shortly.', patientId: null }]);
  const card = { payload: 'My card is 4242 4242 4242 4242', key: randomUUID() };
  expect((await admin.call(writeToPatient, { params: { uid }, body: card })).json).toMatchObject({
    code: 'card-number',
  });
  await hub.unsubscribe(uid);
  const late = await admin.call(writeToPatient, { params: { uid }, body: { ...body, key: randomUUID() } });
  expect(late.json).toMatchObject({ code: 'not-waiting' });
});

test('device check: the last one is in the waiting room, and a loop of a patient’s page does not reload the staff’s', async () => {
  await wait();
  expect((await card(admin))?.deviceCheck).toBeNull();
  const found = { camera: 'works', microphone: 'silent', speaker: 'unknown', connection: 'fair' } as const;
  const save = async (body: DeviceCheck) => (await patient.call(saveDeviceCheck, { params: { uid }, body })).status;
  const doctorHub = await connectHub(app, doctor);
  const pushes = () => doctorHub.types().filter((type) => type === messageType.presenceChanged).length;
  expect(await save(found)).toBe(204);
  await doctorHub.waitFor(messageType.presenceChanged);
  expect((await card(admin))?.deviceCheck).toEqual(found);
  const before = pushes();
  expect(await save(found)).toBe(204);
  const better = { ...found, microphone: 'works' } as const;
  expect(await save(better)).toBe(429);
  expect((await card(admin))?.deviceCheck).toEqual(found);
  clock.set(clock.now() + 1_000);
  expect(await save(better)).toBe(204);
  await expect.poll(pushes).toBe(before + 1);
  expect((await card(admin))?.deviceCheck).toEqual(better);
});

test('simultaneous changes of one waiting visit: none waits for another without end', async () => {
  const { companyId } = appointment;
  const colleagues = await Promise.all([1, 2].map(() => buildUser(context, { companyId, role: 'D', password })));
  const third = await buildUser(context, { companyId, role: 'D', password });
  const second = await buildAppointment(context, { companyId, doctorId: third.userId });
  await wait();
  await wait(await app.signInPatient(second.accessCode), second.appointmentUid);
  const to = (index: number) => ({ params: { uid }, body: { doctorId: colleagues[index % 2]?.userId ?? 0 } });
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const calls = [
        () => admin.call(handOverPatient, to(index)),
        () => admin.call(announceDelay, { body: { minutes: index + 1, doctorId: null } }),
        () => admin.call(holdPatient, { params: { uid }, body: { held: index % 2 === 0 } }),
      ];
      return (await calls[index % 3]?.())?.status;
    }),
  );
  expect(statuses.filter((status) => status === undefined || status >= 500)).toEqual([]);
  expect((await admin.call(announceDelay, { body: { minutes: 5, doctorId: null } })).json).toBe(2);
});
