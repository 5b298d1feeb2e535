import { getSignIn } from '@roomside/contract/auth/calls.ts';
import { getBookingPage } from '@roomside/contract/booking/calls.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { listFiles, uploadFile } from '@roomside/contract/files/calls.ts';
import { cancelMyAppointment, listUpcomingAppointments } from '@roomside/contract/my-appointments/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { signedOutError } from '@roomside/contract/room/messages.ts';
import { getAccount } from '@roomside/contract/users/calls.ts';
import { describe, expect, test } from 'vitest';
import { jpeg } from '../../../test/build-file.ts';
import { type BuiltRoom, buildRoom } from '../../../test/build-room.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
const hours = (count: number) => count * 3_600_000;
const listed = { query: { top: 5, skip: 0 } };

const utcDay = (offset: number) => new Date(clock.now() + offset * hours(24)).toISOString().slice(0, 10);
/** Ends the license of a room's company (zone UTC) at the last midnight, by a Super. */
const expire = (room: BuiltRoom) => change(room, { expirationDate: utcDay(0) });

/** Changes a room's company by a Super. */
async function change(
  { appointment: { companyId } }: BuiltRoom,
  values: { expirationDate: string } | { disabled: true },
): Promise<void> {
  const { email } = await buildUser(context, { companyId: null, password });
  const root = await app.signIn({ email, password });
  const { json } = await root.call(getCompany, { params: { companyId } });
  const { status } = await root.call(saveCompany, { body: { ...json, ...values } });
  expect(status).toBe(200);
}

/** Moves the clock to shortly before the next midnight: no connection is lost by the step over it. Returns that midnight. */
function beforeMidnight(): number {
  const midnight = Date.parse(`${utcDay(1)}T00:00:00Z`);
  clock.freeze();
  clock.set(midnight - 12_000);
  return midnight;
}

/** A room of a company whose license ends at the next midnight, with the doctor and the patient in it. */
async function buildRunningVisit() {
  const midnight = beforeMidnight();
  const room = await buildRoom(app, { timeZone: 'UTC', expirationDate: utcDay(1) });
  const [doctor, patient] = [await connectHub(app, room.doctor), await connectHub(app, room.patient)];
  await doctor.subscribe(room.uid);
  await patient.subscribe(room.uid);
  return { room, doctor, patient, midnight };
}

/** Reads a list with a new sign-in, since an access token lasts ten minutes. */
async function freshStaff({ appointment: { companyId } }: BuiltRoom) {
  const { email } = await buildUser(context, { companyId, role: 'U', password });
  return app.signIn({ email, password });
}

describe('expired company', () => {
  test('staff: sign in, have their account and company; anything else is refused with license-expired', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    await expire(room);
    const { admin } = room;
    const signIn = await admin.call(getSignIn);
    expect(signIn.json.company).toMatchObject({ expired: true, expirationDate: utcDay(0) });
    expect((await admin.call(getAccount)).status).toBe(200);
    expect((await admin.call(getCompany, { params: { companyId: 0 } })).status).toBe(200);
    const refused = await admin.call(listPatients, listed);
    expect([refused.status, refused.problem.code]).toEqual([403, 'license-expired']);
    expect((await admin.call(getTeleappointment, { params: { uid: room.uid } })).problem.code).toBe('license-expired');
  });

  test('patients: see and cancel their visits; opening one is refused in their words', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    const startDate = new Date(clock.now() + hours(240)).toISOString();
    const { companyId } = room.appointment;
    const later = await buildAppointment(context, { companyId, startDate });
    const person = await app.signInPatient(later.accessCode);
    await expire(room);
    expect((await person.call(listUpcomingAppointments)).json.data).toHaveLength(1);
    const refused = await room.patient.call(getTeleappointment, { params: { uid: room.uid } });
    expect([refused.status, refused.problem.code]).toEqual([403, 'clinic-closed']);
    const cancelled = await person.call(cancelMyAppointment, {
      params: { uid: later.appointmentUid },
      body: { version: 0 },
    });
    expect(cancelled.status).toBeLessThan(300);
  });

  test('booking by link: is refused in plain words', async () => {
    const { companyUid } = await buildCompany(context, {
      genericSchedule: true,
      timeZone: 'UTC',
      expirationDate: utcDay(0),
    });
    const { problem } = await app.anonymous().call(getBookingPage, { params: { companyUid } });
    expect([problem.code, problem.detail ?? problem.title]).toEqual([
      'clinic-closed',
      expect.stringContaining('can’t take visits'),
    ]);
  });

  test('hub: a room that no one was in is refused to staff and patients', async () => {
    const room = await buildRoom(app, { timeZone: 'UTC' });
    await expire(room);
    for (const person of [room.doctor, room.admin, room.patient]) {
      const hub = await connectHub(app, person);
      await expect(hub.subscribe(room.uid)).rejects.toThrow('unlicensed');
    }
  });

  test('running visit: goes on, is entered again, and takes files and chat; other calls and rooms stay refused', async () => {
    const { room, doctor, patient, midnight } = await buildRunningVisit();
    const other = await buildAppointment(context, { companyId: room.appointment.companyId });
    clock.set(midnight + 1000);
    const inWaiting = { params: { uid: room.uid } };
    expect((await room.doctor.call(getTeleappointment, inWaiting)).status).toBe(200);
    expect((await room.patient.call(getTeleappointment, inWaiting)).status).toBe(200);
    const upload = { bytes: jpeg, type: 'image/jpeg' };
    const { appointmentId } = room.appointment;
    expect(
      (await room.doctor.call(uploadFile, { params: { appointmentId }, query: { name: 'a.jpg' }, upload })).status,
    ).toBe(200);
    expect((await room.doctor.call(listFiles, { params: { appointmentId } })).status).toBe(200);
    await patient.sendText({ session: room.uid, payload: 'Hello there', key: 'k'.repeat(12) });
    await doctor.unsubscribe(room.uid);
    expect(await (await connectHub(app, room.doctor)).subscribe(room.uid)).toHaveLength(1);
    expect(await (await connectHub(app, room.admin)).subscribe(room.uid)).toHaveLength(2);
    await expect(doctor.subscribe(other.appointmentUid)).rejects.toThrow('unlicensed');
    expect((await room.doctor.call(listPatients, listed)).problem.code).toBe('license-expired');
  });

  test('running visit that staff end: cannot be entered again; notes and files stay open for an hour', async () => {
    const { room, doctor, midnight } = await buildRunningVisit();
    clock.set(midnight + 1000);
    await doctor.sendData({ type: 3, session: room.uid });
    await doctor.unsubscribe(room.uid);
    const again = await connectHub(app, room.doctor);
    await expect(again.subscribe(room.uid)).rejects.toThrow('unlicensed');
    const input = { params: { appointmentId: room.appointment.appointmentId } };
    expect((await room.doctor.call(listFiles, input)).status).toBe(200);
    clock.set(midnight + hours(1.5));
    expect((await (await freshStaff(room)).call(listFiles, input)).problem.code).toBe('license-expired');
  });

  test.each([
    ['America/Los_Angeles', '2031-01-10', '2031-01-10T08:00:00Z'],
    ['Asia/Tokyo', '2031-02-10', '2031-02-09T15:00:00Z'],
    ['UTC', '2031-03-10', '2031-03-10T00:00:00Z'],
  ])('company in %s: a license until %s ends at %s', async (timeZone, expirationDate, end) => {
    clock.set(Date.parse(end) - 60_000);
    const room = await buildRoom(app, { timeZone, expirationDate });
    clock.set(Date.parse(end) - 1000);
    const person = await freshStaff(room);
    expect((await person.call(listPatients, listed)).status).toBe(200);
    clock.set(Date.parse(end));
    expect((await person.call(listPatients, listed)).problem.code).toBe('license-expired');
  });
});

describe('disabled company', () => {
  test('people in a room: are disconnected, and neither their requests nor new sign-ins are accepted', async () => {
    const { room, doctor, patient } = await buildRunningVisit();
    await change(room, { disabled: true });
    const closed = () => [doctor, patient].map((hub) => String(hub.closed()).includes(signedOutError));
    // The poll runs every ten seconds. The bound leaves time for a busy machine.
    await expect.poll(closed, { timeout: 8_000, interval: 10 }).toEqual([true, true]);
    for (const person of [room.doctor, room.patient]) {
      expect((await person.call(getTeleappointment, { params: { uid: room.uid } })).problem.code).toBe('sign-in-ended');
    }
    await expect(app.signInPatient(room.appointment.accessCode)).rejects.toThrow('company-disabled');
    expect((await room.doctor.call(getSignIn)).problem.code).toBe('sign-in-ended');
  });
});
