import { getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import {
  getScheduleSettings,
  listSchedule,
  listSlots,
  moveAppointment,
  type TakenSlot,
} from '@roomside/contract/schedule/calls.ts';
import { deleteRule, getRule, listRules, type RuleBody, saveRule } from '@roomside/contract/scheduling-rules/calls.ts';
import { blankRecurrence } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { deleteTimeOff, listTimeOff, listTimeOffAppointments, saveTimeOff } from '@roomside/contract/time-off/calls.ts';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { holdUntilBlocking } from '../../../test/wait-until-blocking.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { lockUsers } from '../appointments/provider-time.ts';

const app = await startTestApp();
const { context, clock } = app;
/** A Monday, 08:00 in New York. */
const monday = Date.parse('2031-03-03T13:00:00Z');
const tuesday = '2031-03-04';
/** 09:00 there. */
const nine = '2031-03-04T14:00:00.000Z';

let companyId: number;
let doctorId: number;
let otherId: number;
let patientId: number;
let admin: Person;
let doctor: Person;
let other: Person;
let front: Person;

beforeEach(async () => {
  clock.set(monday);
  ({ companyId } = await buildCompany(context, { duration: 30 }));
  const user = async (role: 'A' | 'D' | 'U', lastName: string) => {
    const built = await buildUser(context, { companyId, role, password, lastName });
    return { ...built, person: await app.signIn({ email: built.email, password }) };
  };
  ({ person: admin } = await user('A', 'Zeta'));
  ({ person: front } = await user('U', 'Front'));
  ({ person: doctor, userId: doctorId } = await user('D', 'Ames'));
  ({ person: other, userId: otherId } = await user('D', 'Byrd'));
  ({ patientId } = await buildPatient(context, { companyId, firstName: 'Siobhan', lastName: "O'Brien" }));
});

const book = (startDate = nine, by = doctorId) =>
  buildAppointment(context, { companyId, patientId, doctorId: by, startDate, minutes: 30 });
const move = (
  appointmentId: number,
  values: { startDate?: string; doctorId?: number; version?: number; overbook?: boolean },
) =>
  front.call(moveAppointment, {
    params: { appointmentId },
    body: { startDate: nine, doctorId, version: 0, ...values },
  });
const rule = (values: Partial<RuleBody> = {}): RuleBody => ({
  ...blankRecurrence('2031-03-01'),
  ruleId: 0,
  version: 0,
  description: 'Mornings',
  disabled: false,
  ruleType: 'D',
  apptRulesTimes: [{ startTime: '09:00', endTime: '12:00' }],
  apptRulesPhysicians: [{ physicianId: doctorId }],
  ...values,
});

describe('calendars', () => {
  test('return the settings, appointments, open times and time off of a range @CALL-29 @ENTITY-15', async () => {
    const settings = await front.call(getScheduleSettings);
    expect(settings.json.physicians.map(({ lastName }) => lastName)).toEqual(['Ames', 'Byrd', 'Zeta']);
    expect(settings.json.settings).toEqual({
      startHour: 8,
      endHour: 17,
      slot: 15,
      duration: 30,
      timeZone: 'America/New_York',
    });
    const { appointmentId } = await book();
    await admin.call(saveTimeOff, {
      body: {
        timeOffId: 0,
        version: 0,
        userId: null,
        firstDay: '2031-03-05',
        lastDay: '2031-03-05',
        reason: 'Holiday',
      },
    });
    const read = (query: { from: string; to: string; physicians?: string }) => front.call(listSchedule, { query });
    const { json } = await read({ from: tuesday, to: '2031-03-05', physicians: `${doctorId}` });
    expect(json.data).toMatchObject([
      { appointmentId, doctorId, startDate: nine, patient: "O'Brien, Siobhan", status: 'scheduled' },
    ]);
    expect(json.open).toEqual([{ date: tuesday, doctorId, start: 480, end: 1020 }]);
    expect(json.timeOff).toMatchObject([{ userId: null, firstDay: '2031-03-05', reason: 'Holiday' }]);
    expect((await read({ from: tuesday, to: '2031-04-15' })).status).toBe(400);
    expect((await read({ from: tuesday, to: '2031-03-03' })).status).toBe(400);
  });

  test('an appointment past midnight is in both days, one that ends at midnight only in the first', async () => {
    const late = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: '2031-03-05T04:45:00.000Z',
      minutes: 600,
    });
    const whole = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId: otherId,
      startDate: '2031-03-05T04:30:00.000Z',
      minutes: 30,
    });
    const idsOn = async (day: string) => {
      const { json } = await front.call(listSchedule, { query: { from: day, to: day } });
      return json.data.map(({ appointmentId }) => appointmentId);
    };
    expect(await idsOn(tuesday)).toEqual([whole.appointmentId, late.appointmentId]);
    expect(await idsOn('2031-03-05')).toEqual([late.appointmentId]);
    expect(await idsOn('2031-03-06')).toEqual([]);
  });

  test('the slot picker gets free and taken slots, and the reason of a day without slots @CONST-11', async () => {
    const { appointmentId } = await book();
    const read = async (date: string, own?: number) =>
      (await front.call(listSlots, { query: { doctorId, date, ...(own && { appointmentId: own }) } })).json;
    const taken = (day: ResultOf<typeof listSlots>) =>
      day.data.filter((slot) => !slot.free).map((slot) => slot.startDate);
    expect(taken(await read(tuesday))).toEqual(['2031-03-04T13:45:00.000Z', nine, '2031-03-04T14:15:00.000Z']);
    expect(taken(await read(tuesday, appointmentId))).toEqual([]);
    await doctor.call(saveTimeOff, {
      body: { timeOffId: 0, version: 0, userId: doctorId, firstDay: tuesday, lastDay: tuesday, reason: 'Conference' },
    });
    expect(await read(tuesday)).toEqual({ data: [], off: { reason: 'Conference', clinic: false } });
  });

  test('a blank appointment has the provider’s next free start @CALL-3', async () => {
    await book('2031-03-03T13:00:00.000Z');
    const blank = (query: { doctor?: number; date?: string }) =>
      front.call(getAppointment, { params: { appointmentId: 0 }, query });
    expect((await blank({ doctor: doctorId })).json.startDate).toBe('2031-03-03T13:30:00.000Z');
    await admin.call(saveRule, {
      body: rule({ ruleType: 'W', weekMask: 8, apptRulesTimes: [{ startTime: '14:00', endTime: '16:00' }] }),
    });
    expect((await blank({ doctor: doctorId })).json.startDate).toBe('2031-03-05T19:00:00.000Z');
  });
});

describe('move by drag and drop', () => {
  test('changes time and provider and keeps the length; a patient who was not invited gets no message @SCHED-3', async () => {
    const { appointmentId } = await book();
    const moved = await move(appointmentId, { startDate: '2031-03-04T16:00:00.000Z', doctorId: otherId });
    expect(moved.json).toEqual({
      startDate: '2031-03-04T16:00:00.000Z',
      endDate: '2031-03-04T16:30:00.000Z',
      version: 1,
      notice: 'notInvited',
    });
    const stored = await front.call(getAppointment, { params: { appointmentId }, query: {} });
    expect(stored.json).toMatchObject({ doctorId: otherId, notificationLogs: [] });
    // Dropped at its place: nothing changes.
    const same = await move(appointmentId, { startDate: '2031-03-04T16:00:00.000Z', doctorId: otherId, version: 1 });
    expect(same.json.version).toBe(1);
  });

  test('returns 409 with the free starts when the time is taken and overbook is not set @STATE-25', async () => {
    const first = await book();
    const second = await book('2031-03-04T16:00:00.000Z');
    const refused = await move(second.appointmentId, {});
    const current = refused.problem.current as TakenSlot;
    expect(refused.problem).toMatchObject({ status: 409, code: 'slot-taken' });
    expect(current.appointment).toMatchObject({ appointmentId: first.appointmentId, patient: { lastName: "O'Brien" } });
    expect(current.free[0]).toEqual({ startDate: '2031-03-04T14:30:00.000Z', doctorId });
    expect((await move(second.appointmentId, { overbook: true })).status).toBe(200);
  });

  test('is refused for a stale, cancelled or past appointment', async () => {
    const { appointmentId } = await book();
    expect((await move(appointmentId, { version: 7 })).problem.code).toBe('stale');
    const over = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: '2031-03-03T10:00:00.000Z',
      minutes: 30,
      visit: { duration: 300, providerCame: true },
    });
    expect((await move(over.appointmentId, { startDate: '2031-03-05T14:00:00.000Z' })).problem.code).toBe(
      'has-started',
    );
    const cancelled = await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      cancelled: true,
      startDate: nine,
    });
    expect((await move(cancelled.appointmentId, {})).problem.code).toBe('appointment-cancelled');
  });
});

describe('schedule rules', () => {
  test('are created, listed, saved and deleted, with masks beyond 32 bits @CALL-29 @ENTITY-12 @ENTITY-14', async () => {
    const body = rule({ ruleType: 'M', monthMask: 4294967297, activeEndDate: '2032-01-01' });
    const { ruleId } = (await admin.call(saveRule, { body })).json;
    const { ruleId: _, version: __, ...fields } = body;
    expect((await front.call(getRule, { params: { ruleId } })).json).toMatchObject({
      ...fields,
      apptRulesPhysicians: [{ ruleId, physicianId: doctorId }],
    });
    const list = await front.call(listRules, {
      query: { top: 10, skip: 0, filter: 'morn', orderBy: 'description asc' },
    });
    expect(list.json).toMatchObject({
      data: [{ ruleId, recurrence: { monthMask: 4294967297 }, providers: [{ userId: doctorId }] }],
      total: 1,
    });
    expect((await admin.call(saveRule, { body: { ...body, ruleId, description: 'Late' } })).json.version).toBe(1);
    expect((await admin.call(saveRule, { body: { ...body, ruleId } })).problem.code).toBe('stale');
    expect((await admin.call(deleteRule, { params: { ruleId } })).status).toBe(200);
    expect((await front.call(getRule, { params: { ruleId } })).status).toBe(404);
    // A provider without the last rule does not return to the general hours.
    const { json } = await front.call(listSchedule, {
      query: { from: tuesday, to: tuesday, physicians: `${doctorId}` },
    });
    expect(json.open).toEqual([]);
  });

  test('return the booked appointments outside the changed rule, which stay booked', async () => {
    const inside = await book();
    await book('2031-03-04T18:00:00.000Z');
    const created = await admin.call(saveRule, { body: rule() });
    expect(created.json.outside).toMatchObject([
      { startDate: '2031-03-04T18:00:00.000Z', patient: { lastName: "O'Brien" } },
    ]);
    const disabled = await admin.call(saveRule, { body: rule({ ruleId: created.json.ruleId, disabled: true }) });
    expect(disabled.json.outside).toMatchObject([{ appointmentId: inside.appointmentId }]);
    // The audit log contains the appointments whose patients were shown.
    const owner = new pg.Client(app.database.owner);
    await owner.connect();
    const { rows } = await owner.query<{ seen: number[] }>(
      `select objects -> 'appointments' as seen from audit_log where action = 'saveRule' and company_id = $1 order by audit_id`,
      [companyId],
    );
    await owner.end();
    expect(rows.map(({ seen }) => seen)).toEqual(
      [created, disabled].map(({ json }) => json.outside.map((row) => row.appointmentId)),
    );
  });

  test('leave out providers who are disabled or no providers any more, and have them again afterwards @VALID-28', async () => {
    const chosen = [{ physicianId: doctorId }, { physicianId: otherId }];
    const { ruleId } = (await admin.call(saveRule, { body: rule({ apptRulesPhysicians: chosen }) })).json;
    const sent = async () =>
      (await front.call(getRule, { params: { ruleId } })).json.apptRulesPhysicians.map(
        ({ physicianId }) => physicianId,
      );
    const change = (values: { disabled?: boolean; role_id?: 'D' | 'U' }) =>
      context.db.open({ kind: 'super' }, (tx) =>
        tx.updateTable('users').set(values).where('user_id', '=', otherId).execute(),
      );
    await change({ disabled: true });
    expect(await sent()).toEqual([doctorId]);
    await change({ disabled: false, role_id: 'U' });
    expect(await sent()).toEqual([doctorId]);
    await change({ role_id: 'D' });
    expect(await sent()).toEqual([doctorId, otherId]);
  });

  test('return the invalid fields @VALID-28 @CONST-15', async () => {
    const fields = async (values: Partial<RuleBody>) =>
      (await admin.call(saveRule, { body: rule(values) })).problem.fields ?? {};
    expect(await fields({ description: ' ' })).toEqual({ description: 'Required' });
    expect(await fields({ apptRulesPhysicians: [] })).toEqual({
      apptRulesPhysicians: 'Please select at least one provider.',
    });
    expect(await fields({ activeStartDate: '' })).toHaveProperty('activeStartDate', 'Required');
    expect(await fields({ everyNday: 366 })).toHaveProperty('everyNday');
    expect(await fields({ everyNweek: 53 })).toHaveProperty('everyNweek');
    expect(await fields({ everyNmonth: 13 })).toHaveProperty('everyNmonth');
    expect(await fields({ ruleType: 'W' })).toHaveProperty('weekMask');
    expect(await fields({ apptRulesTimes: [{ startTime: '12:00', endTime: '09:00' }] })).toHaveProperty(
      'apptRulesTimes.0.endTime',
    );
    for (const values of [
      { everyNday: 0, everyNweek: 0, everyNmonth: 0 },
      { everyNday: 365, everyNweek: 52, everyNmonth: 12 },
    ])
      expect((await admin.call(saveRule, { body: rule(values) })).status).toBe(200);
  });

  test('a doctor saves only rules for themselves; staff users only read', async () => {
    const { ruleId } = (await doctor.call(saveRule, { body: rule() })).json;
    const mayEdit = async (of: number) =>
      Promise.all(
        [admin, doctor, other, front].map(
          async (person) => (await person.call(getRule, { params: { ruleId: of } })).json.mayEdit,
        ),
      );
    expect(await mayEdit(ruleId)).toEqual([true, true, false, false]);
    expect((await other.call(saveRule, { body: rule() })).status).toBe(403);
    // A colleague who is disabled now is not in the editor, and still makes it a rule of both.
    const both = rule({ apptRulesPhysicians: [{ physicianId: doctorId }, { physicianId: otherId }] });
    const shared = (await admin.call(saveRule, { body: both })).json.ruleId;
    const owner = new pg.Client(app.database.owner);
    await owner.connect();
    await owner.query('update users set disabled = true where user_id = $1', [otherId]);
    await owner.end();
    expect((await doctor.call(getRule, { params: { ruleId: shared } })).json).toMatchObject({
      mayEdit: false,
      apptRulesPhysicians: [{ physicianId: doctorId }],
    });
    expect((await doctor.call(deleteRule, { params: { ruleId: shared } })).status).toBe(403);
    expect((await front.call(saveRule, { body: rule() })).status).toBe(403);
    expect(
      (await doctor.call(saveRule, { body: rule({ apptRulesPhysicians: [{ physicianId: 999_999 }] }) })).status,
    ).toBe(404);
  });
});

test('time off: lists the appointments in it, and can be deleted', async () => {
  const { appointmentId } = await book();
  const leave = { timeOffId: 0, version: 0, userId: null, firstDay: tuesday, lastDay: '2031-03-06', reason: 'Works' };
  expect((await doctor.call(saveTimeOff, { body: leave })).status).toBe(403);
  const saved = await admin.call(saveTimeOff, { body: leave });
  expect(saved.json.appointments).toMatchObject([{ appointmentId }]);
  const { timeOffId } = saved.json;
  expect((await front.call(listTimeOff, { query: {} })).json.data).toMatchObject([
    { timeOffId, provider: null, appointments: 1 },
  ]);
  expect((await front.call(listTimeOffAppointments, { params: { timeOffId } })).json.data).toMatchObject([
    { appointmentId },
  ]);
  // Booked appointments stay, and staff can still book within time off.
  expect((await move(appointmentId, { startDate: '2031-03-05T14:00:00.000Z' })).status).toBe(200);
  expect((await admin.call(deleteTimeOff, { params: { timeOffId } })).status).toBe(204);
  expect((await front.call(listTimeOff, { query: {} })).json.data).toEqual([]);
});

test('closure that is saved while an appointment moves into it: waits, and lists it', async () => {
  const { appointmentId } = await book();
  const [starts_at, ends_at] = ['2031-04-08T14:00:00.000Z', '2031-04-08T14:30:00.000Z'];
  const moved = await holdUntilBlocking(context, companyId, async (tx) => {
    await lockUsers(tx, companyId, [doctorId]);
    await tx
      .updateTable('appointments')
      .set({ starts_at, ends_at })
      .where('appointment_id', '=', appointmentId)
      .execute();
  });
  const body = { timeOffId: 0, version: 0, userId: null, firstDay: '2031-04-08', lastDay: '2031-04-08', reason: '' };
  const [saved] = await Promise.all([admin.call(saveTimeOff, { body }), moved()]);
  expect(saved.json.appointments).toMatchObject([{ appointmentId }]);
  await admin.call(deleteTimeOff, { params: { timeOffId: saved.json.timeOffId } });
});

test('company settings: apply to new appointments, booked ones stay', async () => {
  const { appointmentId } = await book();
  const { json } = await admin.call(getCompany, { params: { companyId: 0 } });
  const {
    companyUid: _u,
    created: _c,
    currency: _y,
    providerCount,
    expirationDate,
    supportEmail,
    smsPhone,
    allowReq,
    frontEndUrl,
    disabled,
    ...own
  } = json;
  const saved = await admin.call(saveCompany, { body: { ...own, startHour: 10, duration: 60, slot: 30 } });
  expect(saved.json.version).toBe(1);
  expect((await admin.call(saveCompany, { body: own })).problem.code).toBe('stale');
  const settings = (await front.call(getScheduleSettings)).json.settings;
  expect(settings).toMatchObject({ startHour: 10, duration: 60, slot: 30 });
  const stored = await front.call(getAppointment, { params: { appointmentId }, query: {} });
  expect(stored.json.endDate).toBe('2031-03-04T14:30:00.000Z');
  // An administrator cannot save the fields of a Super.
  const taken = { providerCount, expirationDate, supportEmail, smsPhone, allowReq, frontEndUrl, disabled };
  expect((await admin.call(saveCompany, { body: { ...own, version: 1, ...taken } })).status).toBe(403);
});

test.each([
  ['remindBeforeMin', 1],
  ['remindBeforeMin', 91],
  ['limit', 601],
  ['notifyUsersMin', 601],
  ['selfPayFee', '10000.01'],
  ['selfPayFee', '1.005'],
  ['startHour', 5],
  ['endHour', 19],
  ['slot', 25],
  ['companyName', ''],
  ['companyName', 'n'.repeat(51)],
  ['timeZone', 'Mars/Olympus'],
])('save company: returns 422 for %s %j @VALID-12 @VALID-13 @VALID-15 @VALID-16 @VALID-17', async (field, value) => {
  const { json } = await admin.call(getCompany, { params: { companyId: 0 } });
  const {
    companyUid: _u,
    created: _c,
    currency: _y,
    providerCount: _p,
    expirationDate: _e,
    supportEmail: _s,
    smsPhone: _m,
    allowReq: _a,
    frontEndUrl: _f,
    disabled: _d,
    ...own
  } = json;
  const response = await admin.call(saveCompany, { body: { ...own, [field]: value } });
  expect(response.problem).toMatchObject({ status: 422, fields: { [field]: value === '' ? 'Required' : 'Invalid' } });
});

test('save: one of 12 simultaneous requests for the same time is booked', async () => {
  const body = (startDate: string) => ({
    appointmentId: 0,
    version: 0,
    startDate,
    doctorId,
    patientId,
    cancelled: false,
    cancellationNotes: '',
    externalId: '',
    welcomeMessage: '',
  });
  const responses = await Promise.all(
    Array.from({ length: 12 }, () => front.call(saveAppointment, { body: body(nine) })),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('save company: a Super saves the fields that only a Super may change, in every company @VALID-18', async () => {
  const { email } = await buildUser(context, { companyId: null, password });
  const superUser = await app.signIn({ email, password });
  const { json } = await superUser.call(getCompany, { params: { companyId } });
  const { companyUid: _u, created: _c, currency: _y, ...fields } = json;
  const save = (values: Partial<typeof fields>) => superUser.call(saveCompany, { body: { ...fields, ...values } });
  const invalidFields = async (values: Partial<typeof fields>) =>
    Object.keys((await save(values)).problem.fields ?? {});
  expect(await invalidFields({ supportEmail: `${'a'.repeat(95)}@b.test` })).toEqual(['supportEmail']);
  for (const smsPhone of ['212555123', '21255512345', '212-555-12']) {
    expect((await save({ smsPhone })).problem.fields).toEqual({ smsPhone: 'Invalid' });
  }
  expect(await invalidFields({ frontEndUrl: '' })).toEqual(['frontEndUrl']);
  expect(await invalidFields({ frontEndUrl: `https://${'a'.repeat(100)}.test` })).toEqual(['frontEndUrl']);
  expect(await invalidFields({ providerCount: 10_000 })).toEqual(['providerCount']);
  const values = {
    supportEmail: 'help@clinic.test',
    // A gateway's number need not be a valid phone number of a person.
    smsPhone: '1125550100',
    frontEndUrl: 'https://visits.clinic.test/',
    allowReq: true,
    providerCount: 12,
    expirationDate: '2040-01-01',
  };
  expect((await save(values)).status).toBe(200);
  const stored = (await superUser.call(getCompany, { params: { companyId } })).json;
  expect(stored).toMatchObject({ ...values, frontEndUrl: 'https://visits.clinic.test' });
  // A disabled company's users are signed out with their next request.
  expect(
    (await superUser.call(saveCompany, { body: { ...fields, ...values, version: 1, disabled: true } })).status,
  ).toBe(200);
  expect((await front.call(getScheduleSettings)).status).toBe(401);
});
