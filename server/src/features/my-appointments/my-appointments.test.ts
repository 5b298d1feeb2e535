import { getAppointment } from '@roomside/contract/appointments/calls.ts';
import { maxMovesPerDay } from '@roomside/contract/limits.ts';
import {
  cancelMyAppointment,
  listMyAppointments,
  listMySlots,
  listUpcomingAppointments,
  moveMyAppointment,
} from '@roomside/contract/my-appointments/calls.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { beforeEach, expect, test } from 'vitest';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;
const monday = Date.parse('2031-03-03T13:00:00Z');
/** The Thursday after, 10:00 in New York. */
const startDate = '2031-03-06T15:00:00.000Z';

let appointment: BuiltAppointment;
let later: BuiltAppointment;
let patient: Person;
let front: Person;

beforeEach(async () => {
  clock.set(monday);
  const { companyId } = await buildCompany(context, { duration: 30, noticeHours: 24 });
  const user = await buildUser(context, { companyId, role: 'U', password });
  front = await app.signIn({ email: user.email, password });
  const { patientId } = await buildPatient(context, { companyId });
  const doctorId = (await buildUser(context, { companyId, role: 'D' })).userId;
  appointment = await buildAppointment(context, { companyId, patientId, doctorId, startDate, minutes: 30 });
  // Another patient's appointment at eleven.
  await buildAppointment(context, { companyId, doctorId, startDate: '2031-03-06T16:00:00.000Z', minutes: 30 });
  later = await buildAppointment(context, { companyId, patientId, doctorId, startDate: '2031-03-10T14:00:00.000Z' });
  patient = await app.signInPatient(appointment.accessCode);
});

const params = () => ({ uid: appointment.appointmentUid });
const move = (to: string, version = 0) =>
  patient.call(moveMyAppointment, { params: params(), body: { startDate: to, version } });
const cancel = (version = 0) => patient.call(cancelMyAppointment, { params: params(), body: { version } });
const logs = async () =>
  (await front.call(getAppointment, { params: { appointmentId: appointment.appointmentId }, query: {} })).json;

test('list: returns the upcoming appointments and until when each can be changed @ROUTE-8', async () => {
  const { json } = await patient.call(listUpcomingAppointments);
  expect(json.data).toMatchObject([
    { appointmentUid: appointment.appointmentUid, startDate, changeUntil: '2031-03-05T15:00:00.000Z' },
    { startDate: '2031-03-10T14:00:00.000Z' },
  ]);
  expect(json).toMatchObject({ noticeHours: 24, companyUid: null, firstDay: '2031-03-03' });
});

test('move: accepts an offered start and queues a message; returns 409 for a taken one', async () => {
  const offered = await patient.call(listMySlots, {
    params: params(),
    query: { from: '2031-03-06', to: '2031-03-06' },
  });
  const starts = offered.json.data.map((slot) => slot.startDate);
  expect(starts).toContain(startDate);
  expect(starts).not.toContain('2031-03-06T16:00:00.000Z');
  const taken = await move('2031-03-06T16:00:00.000Z');
  expect(taken.problem.code).toBe('slot-taken');
  const { free, appointment: conflicting } = taken.problem.current as TakenSlot;
  expect(free).not.toHaveLength(0);
  // A patient does not see the conflicting appointment.
  expect(conflicting).toBeUndefined();
  const moved = await move('2031-03-06T18:00:00.000Z');
  expect(moved.json).toEqual({
    startDate: '2031-03-06T18:00:00.000Z',
    endDate: '2031-03-06T18:30:00.000Z',
    version: 1,
  });
  expect((await move('2031-03-06T19:00:00.000Z')).problem.code).toBe('stale');
  expect((await logs()).notificationLogs).toMatchObject([{ kind: 'newTime', user: null }]);
});

test('move: works five times a day, then the patient is asked to call and gets no further message', async () => {
  const hour = (index: number) => `2031-03-06T${14 + (index % 2) * 4}:00:00.000Z`;
  for (let index = 0; index < maxMovesPerDay; index += 1) {
    clock.set(monday + index * 60_000);
    expect((await move(hour(index), index)).status).toBe(200);
  }
  const sent = (await logs()).notificationLogs.length;
  const refused = await move(hour(maxMovesPerDay), maxMovesPerDay);
  expect(refused.problem).toMatchObject({ status: 422, code: 'too-many-moves' });
  expect((await logs()).notificationLogs).toHaveLength(sent);
  // The limit is of one appointment, and of a day.
  const other = { params: { uid: later.appointmentUid }, body: { startDate: '2031-03-10T18:00:00.000Z', version: 0 } };
  expect((await patient.call(moveMyAppointment, other)).status).toBe(200);
  clock.set(monday + 24 * 3_600_000);
  patient = await app.signInPatient(appointment.accessCode);
  expect((await move(hour(maxMovesPerDay), maxMovesPerDay)).status).toBe(200);
});

test('cancel: revokes the link and queues a message', async () => {
  expect((await cancel()).status).toBe(204);
  expect((await patient.call(listUpcomingAppointments)).status).toBe(401);
  const stored = await logs();
  expect(stored).toMatchObject({ cancelled: true, status: 'cancelled', notificationLogs: [{ kind: 'cancelled' }] });
  expect(stored.accessCode).not.toBe(appointment.accessCode);
});

test('move and cancel: return too-late within the notice period', async () => {
  clock.set(Date.parse('2031-03-05T15:00:01Z'));
  patient = await app.signInPatient(appointment.accessCode);
  expect((await move('2031-03-07T15:00:00.000Z')).problem).toMatchObject({ status: 422, code: 'too-late' });
  expect((await cancel()).problem.code).toBe('too-late');
});

test('next visit: is the earliest upcoming one, also with the code of a later one @ROOM-10', async () => {
  const next = async () => (await patient.call(listMyAppointments)).json.data.map((row) => row.startDate);
  expect(await next()).toEqual([startDate]);
  // The sign-in uses the later appointment's code, 20 minutes before the earlier one.
  clock.set(Date.parse(startDate) - 20 * 60_000);
  patient = await app.signInPatient(later.accessCode);
  expect(await next()).toEqual([startDate]);
  clock.set(Date.parse(startDate) + 3 * 3_600_000);
  patient = await app.signInPatient(later.accessCode);
  expect(await next()).toEqual(['2031-03-10T14:00:00.000Z']);
});
