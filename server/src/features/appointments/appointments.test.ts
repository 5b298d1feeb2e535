import {
  type AppointmentBody,
  connectAppointment,
  deleteAppointment,
  downloadAppointments,
  getAppointment,
  listAppointments,
  notifyAppointment,
  saveAppointment,
  startInstantAppointment,
  updateNotes,
} from '@roomside/contract/appointments/calls.ts';
import { login } from '@roomside/contract/auth/calls.ts';
import { deletePatient, getPatient } from '@roomside/contract/patients/calls.ts';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { moveAppointment } from '@roomside/contract/schedule/calls.ts';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const app = await startTestApp();
const { context, clock } = app;

let companyId: number;
let doctorId: number;
let patientId: number;
let admin: Person;
let doctor: Person;
let front: Person;

beforeAll(async () => {
  ({ companyId } = await buildCompany(context, { selfPayFee: '45.00', duration: 30, timeZone: 'America/New_York' }));
  const people = { A: '', D: '', U: '' };
  for (const role of ['A', 'D', 'U'] as const) {
    const user = await buildUser(context, { companyId, role, password, firstName: role, lastName: `Role${role}` });
    people[role] = user.email;
    if (role === 'D') doctorId = user.userId;
  }
  admin = await app.signIn({ email: people.A, password });
  doctor = await app.signIn({ email: people.D, password });
  front = await app.signIn({ email: people.U, password });
  ({ patientId } = await buildPatient(context, { companyId, firstName: 'Siobhan', lastName: "O'Brien" }));
});

let slot = 0;
/** A start that no other test uses. */
const freeStart = () => new Date(Date.UTC(2031, 0, 1, 12) + 3_600_000 * slot++).toISOString();
const body = (values: Partial<AppointmentBody> = {}): AppointmentBody => ({
  appointmentId: 0,
  version: 0,
  startDate: freeStart(),
  doctorId,
  patientId,
  cancelled: false,
  cancellationNotes: '',
  externalId: '',
  welcomeMessage: '',
  ...values,
});
const save = (person: Person, values: Partial<AppointmentBody> = {}, headers?: Record<string, string>) =>
  person.call(saveAppointment, { body: body(values), ...(headers && { headers }) });
const read = async (appointmentId: number) =>
  (await admin.call(getAppointment, { params: { appointmentId }, query: {} })).json;
/** The body of a save without changes. */
const resend = async (appointmentId: number): Promise<AppointmentBody> => {
  const {
    version,
    startDate,
    doctorId: storedDoctorId,
    patientId: storedPatientId,
    cancelled,
    cancellationNotes,
    externalId,
    welcomeMessage,
  } = await read(appointmentId);
  return {
    appointmentId,
    version,
    startDate,
    doctorId: storedDoctorId,
    patientId: storedPatientId,
    cancelled,
    cancellationNotes,
    externalId,
    welcomeMessage,
  };
};

describe('save', () => {
  test('creates an appointment with the company’s length and fee, a uid and a code @CALL-4', async () => {
    const { status, json } = await save(front, { welcomeMessage: 'Bring water.' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ appointmentUid: expect.stringMatching(/^[0-9a-f]{32}$/), version: 0 });
    const stored = await read(json.appointmentId);
    expect(stored).toMatchObject({
      status: 'scheduled',
      fee: '45.00',
      collected: '0.00',
      welcomeMessage: 'Bring water.',
      accessCode: expect.stringMatching(/^[A-Za-z2-9]{12}$/),
    });
    expect(Date.parse(stored.endDate) - Date.parse(stored.startDate)).toBe(30 * 60_000);
  });

  test('keeps the stored length when the form contains none', async () => {
    const { json } = await save(admin, { minutes: 50 });
    await save(admin, { ...(await resend(json.appointmentId)), externalId: 'X-1' });
    const stored = await read(json.appointmentId);
    expect(Date.parse(stored.endDate) - Date.parse(stored.startDate)).toBe(50 * 60_000);
    expect((await save(admin, { minutes: 4 })).status).toBe(422);
  });

  test('returns 409 with the stored version when that is newer', async () => {
    const { json } = await save(admin);
    const mine = await resend(json.appointmentId);
    expect((await save(front, { ...mine, externalId: 'front desk' })).status).toBe(200);
    const late = await save(admin, { ...mine, externalId: 'admin' });
    expect(late.problem).toMatchObject({ status: 409, code: 'stale', current: { version: 1 } });
    expect((await read(json.appointmentId)).externalId).toBe('front desk');
  });

  test('creates one appointment for two requests with one key, and refuses the key for another body', async () => {
    const headers = { 'idempotency-key': 'a-double-click-1' };
    const added = await watchAudit(app);
    const values = { startDate: freeStart() };
    const [one, two] = await Promise.all([save(front, values, headers), save(front, values, headers)]);
    expect([one.status, two.status, two.json]).toEqual([200, 200, one.json]);
    // Both show the same data, so both rows have the same objects.
    const rows = (await added()).filter(({ action }) => action === 'saveAppointment');
    expect(rows).toHaveLength(2);
    for (const { objects } of rows) expect(objects).toMatchObject({ appointmentId: one.json.appointmentId });
    expect((await save(front, { startDate: freeStart() }, headers)).problem.code).toBe('key-reused');
    expect((await save(admin, { startDate: freeStart() }, headers)).status).toBe(200);
  });

  test.each([
    [{ doctorId: 0 }, { doctorId: 'Please select a provider.' }],
    [{ patientId: 0 }, { patientId: 'Required' }],
    [{ welcomeMessage: 'x'.repeat(201) }, { welcomeMessage: 'At most 200 characters' }],
    [{ externalId: 'x'.repeat(101) }, { externalId: 'At most 100 characters' }],
    [{ fee: '1.234' }, { fee: 'Not valid' }],
    [{ fee: '-1' }, { fee: 'Not valid' }],
    [{ startDate: 'tomorrow' }, { startDate: 'Not valid' }],
  ] as const)('returns 422 with the field for %j @VALID-4', async (values, fields) => {
    const response = await save(admin, values);
    expect(response.problem).toMatchObject({ status: 422, code: 'invalid', fields });
  });

  test('refuses another patient after the first one has arrived', async () => {
    const { patientId: other } = await buildPatient(context, { companyId });
    const { json } = await save(front);
    const notesOf = async () => {
      const { notes, notesVersion } = await read(json.appointmentId);
      return { notes, notesVersion };
    };
    const { notesVersion } = await notesOf();
    expect((await save(front, { ...(await resend(json.appointmentId)), patientId: other })).status).toBe(200);
    // Notes that were typed for the first one are not saved for the other.
    const body = { notes: 'About the first one', notesVersion };
    const late = await doctor.call(updateNotes, { params: { appointmentId: json.appointmentId }, body });
    expect(late.problem.code).toBe('stale');
    expect((await notesOf()).notes).toBe('');
    const met = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: freeStart(),
      visit: { arrivedAt: freeStart() },
    });
    const refused = await save(front, { ...(await resend(met.appointmentId)), patientId: other });
    expect(refused.problem.code).toBe('has-activity');
  });

  test('refuses another patient after the first one was notified', async () => {
    const { patientId: notified } = await buildPatient(context, { companyId, email: 'notified@example.test' });
    const { json } = await save(front, { patientId: notified });
    const { appointmentId } = json;
    await front.call(notifyAppointment, { params: { appointmentId } });
    // Without a mail server the job marks the message as failed at any time.
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx.updateTable('notification_logs').set({ state: 'sent' }).where('appointment_id', '=', appointmentId).execute(),
    );
    const refused = await save(front, { ...(await resend(appointmentId)), patientId });
    expect([refused.status, refused.problem.code]).toEqual([409, 'patient-notified']);
  });

  test('refuses another time or provider for a past appointment, but saves its length and texts', async () => {
    const past = new Date(clock.now() - 3_600_000).toISOString();
    const visit = { duration: 90, endedAt: past };
    const { appointmentId } = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: past,
      visit,
    });
    const { json: doctors } = await front.call(listDoctors);
    const other = doctors.data.find(({ userId }) => userId !== doctorId)?.userId;
    const stored = await resend(appointmentId);
    for (const change of [{ startDate: freeStart() }, { doctorId: other }])
      expect((await save(front, { ...stored, ...change })).problem.code).toBe('has-started');
    const same = await save(front, { ...stored, minutes: 45, externalId: 'X-7', overbook: true });
    expect(same.status).toBe(200);
    // Nor by a cancellation that is taken back.
    expect((await save(front, { ...(await resend(appointmentId)), cancelled: true })).status).toBe(200);
    for (const change of [{ startDate: freeStart() }, { doctorId: other }]) {
      const restored = { ...(await resend(appointmentId)), cancelled: false, overbook: true, ...change };
      expect((await save(front, restored)).problem.code).toBe('has-started');
    }
  });

  test('an archived patient’s appointment cannot be re-activated, moved, started or invited to', async () => {
    const { patientId: archivedId } = await buildPatient(context, { companyId, email: 'gone@example.test' });
    const cancelled = await save(front, { patientId: archivedId, cancelled: true });
    const missed = await buildAppointment(context, {
      companyId,
      doctorId,
      patientId: archivedId,
      startDate: new Date(clock.now() - 5 * 3_600_000).toISOString(),
    });
    expect((await front.call(deletePatient, { params: { patientId: archivedId } })).status).toBe(204);
    const { appointmentId } = missed;
    const stored = await resend(appointmentId);
    const target = { startDate: freeStart(), doctorId, version: stored.version };
    const responses = [
      await save(front, { ...(await resend(cancelled.json.appointmentId)), cancelled: false }),
      await save(front, { ...stored, startDate: freeStart() }),
      await front.call(moveAppointment, { params: { appointmentId }, body: target }),
      await front.call(notifyAppointment, { params: { appointmentId } }),
      await doctor.call(connectAppointment, { params: { appointmentId } }),
    ];
    expect(responses.map(({ problem }) => problem.code)).toEqual(Array(5).fill('patient-archived'));
    // Past appointments can still be corrected.
    expect((await save(front, { ...stored, externalId: 'X-8' })).status).toBe(200);
  });

  test('returns 4xx for values that cannot be stored: NUL, impossible years, an unknown provider, a wrong page key', async () => {
    expect((await save(front, { welcomeMessage: 'a\u0000b' })).status).toBe(422);
    for (const startDate of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:00-12:00'])
      expect((await save(front, { startDate })).status).toBe(422);
    expect((await save(front, { doctorId: 999_999_999, cancelled: true })).status).toBe(404);
    const listed = await front.call(listAppointments, { query: { top: 5, skip: 0, startDate: '9999-12-31' } });
    const keyed = await front.call(listAppointments, {
      query: { top: 5, skip: 0, after: Buffer.from('["x",1]').toString('base64url') },
    });
    expect([listed.status, keyed.status]).toEqual([400, 400]);
  });

  test('only administrators save fee and collected; more than the fee returns 422; collected is the sum of the ledger', async () => {
    const { json } = await save(front, { fee: '1.00', collected: '1.00' });
    expect(await read(json.appointmentId)).toMatchObject({ fee: '45.00', collected: '0.00' });
    const mine = await resend(json.appointmentId);
    const above = await save(admin, { ...mine, fee: '20.00', collected: '20.01' });
    expect(above.problem).toMatchObject({
      status: 422,
      code: 'collected-above-fee',
      fields: { collected: expect.any(String) },
    });
    expect((await save(admin, { ...mine, fee: '20', collected: '20.00' })).status).toBe(200);
    expect(await read(json.appointmentId)).toMatchObject({ fee: '20.00', collected: '20.00' });
    const again = await resend(json.appointmentId);
    expect((await save(admin, { ...again, fee: '20', collected: '5.5' })).status).toBe(200);
    expect((await read(json.appointmentId)).collected).toBe('5.50');
  });
});

describe('a provider’s time', () => {
  test('returns 409 with the conflicting appointment when it is taken; staff may overbook @VALID-4', async () => {
    const startDate = freeStart();
    const first = await save(front, { startDate });
    const half = new Date(Date.parse(startDate) + 15 * 60_000).toISOString();
    const taken = await save(front, { startDate: half });
    expect(taken.problem).toMatchObject({
      status: 409,
      code: 'slot-taken',
      current: { appointment: { appointmentId: first.json.appointmentId, patient: { lastName: "O'Brien" } } },
    });
    expect((await save(front, { startDate: half, overbook: true })).status).toBe(200);
    expect((await save(front, { startDate: new Date(Date.parse(startDate) + 45 * 60_000).toISOString() })).status).toBe(
      200,
    );
  });

  test('is checked when an appointment is moved or re-activated, not when other fields change', async () => {
    const startDate = freeStart();
    const { json: one } = await save(front, { startDate });
    const { json: other } = await save(front);
    const moved = await save(front, { ...(await resend(other.appointmentId)), startDate });
    expect(moved.problem.code).toBe('slot-taken');
    const overbooked = await save(front, { ...(await resend(other.appointmentId)), startDate, overbook: true });
    expect(overbooked.status).toBe(200);
    expect((await save(front, { ...(await resend(other.appointmentId)), externalId: 'noted' })).status).toBe(200);
    expect((await save(front, { ...(await resend(one.appointmentId)), cancelled: true })).status).toBe(200);
    expect((await save(front, { ...(await resend(one.appointmentId)), cancelled: false })).problem.code).toBe(
      'slot-taken',
    );
  });

  test('is booked by exactly one of 30 simultaneous requests', async () => {
    const startDate = freeStart();
    const responses = await Promise.all(Array.from({ length: 30 }, () => save(front, { startDate })));
    const codes = responses.map((response) => (response.status === 200 ? 'booked' : response.problem.code));
    expect(codes.filter((code) => code === 'booked')).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(['booked', 'slot-taken']));
  });
});

describe('cancel', () => {
  test('replaces the code and ends the link; re-activation does not restore them @STATE-2', async () => {
    const { json } = await save(front);
    const before = await read(json.appointmentId);
    await save(front, {
      ...(await resend(json.appointmentId)),
      cancelled: true,
      cancellationNotes: 'ill',
      accessCode: '*',
    });
    const after = await read(json.appointmentId);
    expect(after).toMatchObject({ status: 'cancelled', cancelled: true, cancellationNotes: 'ill' });
    expect(after.accessCode).not.toBe(before.accessCode);
    await save(front, { ...(await resend(json.appointmentId)), cancelled: false });
    const tried = await app.anonymous().call(login, { body: { isPatient: true, user: { email: before.accessCode } } });
    expect(tried.problem.code).toBe('wrong-code');
  });
});

describe('list', () => {
  const day = '2032-03-14';
  const at = (hour: number, minute = 0) => new Date(Date.UTC(2032, 2, 14, hour, minute)).toISOString();
  let secondDoctor: number;
  beforeAll(async () => {
    secondDoctor = (await buildUser(context, { companyId, role: 'D', lastName: 'Aardvark' })).userId;
    // 2032-03-14 is the day on which New York's clocks go forward: 05:00Z to 04:00Z of the next day.
    const times = [
      at(4, 59),
      at(5),
      at(14),
      at(15),
      at(16),
      at(17),
      '2032-03-15T03:59:00.000Z',
      '2032-03-15T04:00:00.000Z',
    ];
    for (const [index, startDate] of times.entries()) {
      await buildAppointment(context, {
        companyId,
        patientId,
        doctorId: index % 2 ? doctorId : secondDoctor,
        startDate,
        minutes: 1,
        fee: '50',
        collected: String(index * 2),
      });
    }
  });
  const list = (query: object, person = front) =>
    person.call(listAppointments, { query: { top: 5, skip: 0, startDate: day, ...query } });

  test('contains one day in the company’s zone, also when the clocks change @CALL-6 @LIST-2 @ENTITY-22', async () => {
    const { json } = await list({ top: 50 });
    expect(json.total).toBe(6);
    expect(json.data.map((row) => row.startDate)).toEqual([
      at(5),
      at(14),
      at(15),
      at(16),
      at(17),
      '2032-03-15T03:59:00.000Z',
    ]);
    expect(json.tag).toEqual({ timeZone: 'America/New_York', currency: 'USD' });
  });

  test.each(['startDate', 'patient', 'doctor', 'duration', 'collected'] as const)(
    'list sorted by %s: returns the same pages by key, backwards and by skip @ABOUT-9 @LIST-16 @ENTITY-22',
    async (column) => {
      for (const direction of ['asc', 'desc'] as const) {
        const orderBy = `${column} ${direction}` as const;
        const ids = (response: Awaited<ReturnType<typeof list>>) => response.json.data.map((row) => row.appointmentId);
        const all = ids(await list({ top: 50, orderBy }));
        const one = await list({ top: 2, orderBy });
        const two = await list({ top: 2, orderBy, skip: 2, total: one.json.total, after: one.json.last });
        expect([...ids(one), ...ids(two)]).toEqual(all.slice(0, 4));
        expect(two.json.total).toBeNull();
        expect(ids(await list({ top: 2, orderBy, skip: 2 }))).toEqual(ids(two));
        expect(ids(await list({ top: 2, orderBy, skip: 0, before: two.json.first }))).toEqual(ids(one));
      }
    },
  );

  test('filters by provider and by text; an unknown sort column returns 400 @LIST-4 @ABOUT-10 @ENTITY-22', async () => {
    expect((await list({ physicians: String(secondDoctor) })).json.total).toBe(3);
    expect((await list({ physicians: `${secondDoctor},${doctorId}` })).json.total).toBe(6);
    expect((await list({ physicians: '0' })).json.total).toBe(6);
    expect((await list({ filter: "o'bri" })).json.total).toBe(6);
    expect((await list({ filter: 'aardv' })).json.total).toBe(3);
    expect((await list({ filter: '%' })).json.total).toBe(0);
    for (const orderBy of ['status asc', 'startDate; drop table users', 'a.starts_at asc'])
      expect((await list({ orderBy })).status).toBe(400);
    expect((await list({ top: 51 })).status).toBe(400);
    expect((await list({ after: 'bm90LW91cnM' })).status).toBe(400);
  });

  test('downloads all rows of the day as CSV, with escaped formulas @CALL-7 @LIST-6', async () => {
    const { patientId: formulaId } = await buildPatient(context, {
      companyId,
      firstName: '+cmd',
      lastName: '=SUM(A1),"x"',
    });
    await buildAppointment(context, { companyId, doctorId, patientId: formulaId, startDate: at(20) });
    const response = await front.call(downloadAppointments, { query: { startDate: day, orderBy: 'startDate desc' } });
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="report_${day}.csv"`);
    const lines = response.text.replace('\ufeff', '').trimEnd().split('\r\n');
    expect(lines[0]).toBe('Date,Time,Time zone,Patient,Doctor,Status,Duration,Fee,Collected');
    expect(lines).toHaveLength(8);
    expect(lines[2]).toContain(`'=SUM(A1)`);
    expect(lines[7]).toContain('2032-03-14,00:00,America/New_York,"O\'Brien, Siobhan"');
  });
});

describe('blank appointment', () => {
  const blank = (query: object, person = doctor) =>
    person.call(getAppointment, { params: { appointmentId: 0 }, query });

  test('has the caller as provider if doctor or administrator, the fee, and a next free start @CALL-3 @APPT-5', async () => {
    expect((await blank({})).json).toMatchObject({
      appointmentId: 0,
      accessCode: '*',
      doctorId,
      fee: '45.00',
      config: { startHour: 8, endHour: 17, slot: 15, duration: 30 },
    });
    expect((await blank({}, front)).json.doctorId).toBe(0);
    const { startDate } = (await blank({})).json;
    expect(Date.parse(startDate)).toBeGreaterThanOrEqual(clock.now());
  });

  test('takes patient, provider, date and time from the route; wall time is the company’s @APPT-1', async () => {
    const { json } = await blank({ patient: patientId, doctor: doctorId, date: '2032-03-14', time: '0230' });
    expect(json).toMatchObject({ patientId, patient: { lastName: "O'Brien" }, startDate: '2032-03-14T07:30:00.000Z' });
    expect((await blank({ patient: 999_999_999 })).status).toBe(404);
    expect((await blank({ time: '2500' })).status).toBe(400);
  });
});

test('delete: archives, and returns has-activity after a payment, a visit or notes @LIST-20 @VALID-32', async () => {
  const remove = (appointmentId: number) => front.call(deleteAppointment, { params: { appointmentId } });
  const { json } = await save(front);
  expect((await remove(json.appointmentId)).status).toBe(204);
  expect((await remove(json.appointmentId)).status).toBe(404);
  const paid = await buildAppointment(context, {
    companyId,
    patientId,
    doctorId,
    startDate: freeStart(),
    fee: '5',
    collected: '5',
  });
  const met = await buildAppointment(context, {
    companyId,
    patientId,
    doctorId,
    startDate: freeStart(),
    visit: { duration: 5 },
  });
  const noted = await buildAppointment(context, { companyId, patientId, doctorId, startDate: freeStart(), notes: 'x' });
  for (const { appointmentId } of [paid, met, noted])
    expect((await remove(appointmentId)).problem.code).toBe('has-activity');
});

test('notes: have a separate version, and a conflict returns the stored text @CALL-11', async () => {
  const { json } = await save(front);
  const write = (notes: string, notesVersion: number) =>
    doctor.call(updateNotes, { params: { appointmentId: json.appointmentId }, body: { notes, notesVersion } });
  expect((await write('First.', 0)).json).toEqual({ notesVersion: 1 });
  expect((await write('First.', 0)).json).toEqual({ notesVersion: 1 });
  expect((await write('Second.', 0)).problem).toMatchObject({
    code: 'stale',
    current: { notes: 'First.', notesVersion: 1 },
  });
  expect((await write('card 4242424242424242', 1)).problem).toMatchObject({
    code: 'card-number',
    fields: { notes: expect.any(String) },
  });
  expect((await save(front, await resend(json.appointmentId))).status).toBe(200);
});

test('notify: a double click sends one invitation', async () => {
  onTestFinished(clock.freeze());
  const { json } = await save(front);
  const params = { appointmentId: json.appointmentId };
  const both = await Promise.all([
    front.call(notifyAppointment, { params }),
    front.call(notifyAppointment, { params }),
  ]);
  expect(both.map((response) => response.status)).toEqual([204, 204]);
  expect((await read(json.appointmentId)).notificationLogs).toHaveLength(1);
});

test('connect: starts now and queues the invitation; notify refuses a cancelled appointment @STATE-4', async () => {
  const { json } = await save(front);
  const response = await doctor.call(connectAppointment, { params: { appointmentId: json.appointmentId } });
  expect(response.json).toEqual({ appointmentUid: json.appointmentUid, invited: true });
  expect(Math.abs(Date.parse((await read(json.appointmentId)).startDate) - clock.now())).toBeLessThan(60_000);
  await save(front, { ...(await resend(json.appointmentId)), cancelled: true });
  const refused = await front.call(notifyAppointment, { params: { appointmentId: json.appointmentId } });
  expect(refused.problem.code).toBe('appointment-cancelled');
});

describe('appointment that is over', () => {
  const minute = 60_000;
  let past: Parameters<typeof buildAppointment>[1];
  beforeAll(() => {
    past = { companyId, doctorId, patientId, overbooked: true };
  });
  const ago = (minutes: number) => new Date(clock.now() - minutes * minute).toISOString();
  const connectAndNotify = (appointmentId: number) =>
    Promise.all([
      front.call(connectAppointment, { params: { appointmentId } }),
      front.call(notifyAppointment, { params: { appointmentId } }),
    ]);

  test.each([
    ['completed', { visit: { duration: 1428 }, startDate: ago(26 * 60) }],
    ['completed minutes ago', { visit: { duration: 90 }, startDate: ago(12) }],
    ['long past without a visit', { startDate: ago(3 * 24 * 60) }],
  ])('appointment %s: connect and notify return visit-over and change nothing @STATE-4 @LIST-18', async (_, values) => {
    const { appointmentId } = await buildAppointment(context, { ...past, ...values });
    const before = await read(appointmentId);
    for (const refused of await connectAndNotify(appointmentId)) {
      expect(refused).toMatchObject({ status: 409, problem: { code: 'visit-over' } });
    }
    expect(await read(appointmentId)).toEqual(before);
  });

  test('cancelled appointment: connect and notify return appointment-cancelled @STATE-4', async () => {
    const { appointmentId } = await buildAppointment(context, { ...past, cancelled: true });
    for (const refused of await connectAndNotify(appointmentId))
      expect(refused.problem.code).toBe('appointment-cancelled');
  });

  test('appointment missed an hour ago: connect starts it now @STATE-4', async () => {
    const { appointmentId } = await buildAppointment(context, { ...past, startDate: ago(90) });
    expect((await read(appointmentId)).status).toBe('missed');
    expect((await doctor.call(connectAppointment, { params: { appointmentId } })).status).toBe(200);
  });

  test('appointment in progress: connect returns has-started, notify sends @STATE-4', async () => {
    const { appointmentId } = await buildAppointment(context, {
      ...past,
      startDate: ago(5),
      visit: { patientPresent: ago(4), providerPresent: ago(3) },
    });
    const [connect, notify] = await connectAndNotify(appointmentId);
    expect([connect.problem.code, notify.status]).toEqual(['has-started', 204]);
  });
});

test('patient whose appointment is moved to the future while they are deleted: stays', async () => {
  const { patientId: own } = await buildPatient(context, { companyId });
  const startDate = new Date(clock.now() - 77 * 3_600_000).toISOString();
  const { appointmentId } = await buildAppointment(context, { companyId, patientId: own, doctorId, startDate });
  const [starts_at, ends_at] = [77, 78].map((hours) => new Date(clock.now() + hours * 3_600_000).toISOString());
  const moved = await holdUntilBlocking(context, companyId, (tx) =>
    tx.updateTable('appointments').set({ starts_at, ends_at }).where('appointment_id', '=', appointmentId).execute(),
  );
  const [{ problem }] = await Promise.all([front.call(deletePatient, { params: { patientId: own } }), moved()]);
  expect(problem.code).toBe('has-appointments');
});

test('instant appointment: starts now with the caller, for a new anonymous or a known patient @STATE-4 @CONST-14 @INSTANT-1 @CALL-4', async () => {
  const { json } = await doctor.call(startInstantAppointment, { body: { email: 'new@example.test', phone: '' } });
  expect(json.invited).toBe(true);
  const stored = await read(json.appointmentId);
  expect(stored).toMatchObject({
    doctorId,
    patient: { firstName: 'Patient', lastName: expect.stringMatching(/^Anonymous-\d{6}$/) },
  });
  const { json: patient } = await doctor.call(getPatient, { params: { patientId: stored.patientId } });
  const year = Number(patient.doB?.slice(0, 4));
  expect(year >= 1950 && year <= new Date(clock.now()).getFullYear()).toBe(true);
  expect((await doctor.call(getTeleappointment, { params: { uid: json.appointmentUid } })).status).toBe(200);
  const known = await admin.call(startInstantAppointment, { body: { patientId, email: '', phone: '' } });
  expect((await read(known.json.appointmentId)).patientId).toBe(patientId);
  expect((await doctor.call(startInstantAppointment, { body: { email: '', phone: '' } })).status).toBe(422);
  expect((await front.call(startInstantAppointment, { body: { email: 'a@b.co', phone: '' } })).status).toBe(403);
});

test('providers: returns the enabled administrators and doctors of the company @CALL-18 @LIST-4', async () => {
  await buildUser(context, { companyId, role: 'D', disabled: true, lastName: 'Disabled' });
  const { json } = await front.call(listDoctors);
  expect(json.data.map((user) => user.lastName)).toEqual(['Aardvark', 'RoleA', 'RoleD']);
});
