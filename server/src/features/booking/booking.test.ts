import { getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import {
  type BookingBody,
  bookSlot,
  closeBookingRequest,
  getBookingPage,
  holdSlot,
  listBookingRequests,
  listBookingSlots,
  releaseSlot,
  requestAppointment,
} from '@roomside/contract/booking/calls.ts';
import { holdsPerMinute, maxUnverifiedAppointments, slotsPerMinute } from '@roomside/contract/limits.ts';
import { cancelMyAppointment, listUpcomingAppointments } from '@roomside/contract/my-appointments/calls.ts';
import { getPatient, listPatientMatches, listPatients, mergePatient } from '@roomside/contract/patients/calls.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { listSchedule } from '@roomside/contract/schedule/calls.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildCompany, buildPatient, buildRule, buildTimeOff, buildUser } from '../../demo/builders.ts';

const app = await startTestApp({ env: { TRUST_PROXY: '1' } });
const { context, clock } = app;
/** A Monday, 08:00 in New York. */
const monday = Date.parse('2031-03-03T13:00:00Z');

let companyId: number;
let companyUid: string;
let doctorId: number;
let otherId: number;
let front: Person;
let turn = 0;

beforeAll(async () => {
  clock.set(monday);
});

beforeEach(async () => {
  clock.set(monday);
  turn += 1;
  ({ companyId, companyUid } = await buildCompany(context, { genericSchedule: true, allowReq: true, duration: 30 }));
  doctorId = (await buildUser(context, { companyId, role: 'D', firstName: 'Ada', lastName: 'Ames' })).userId;
  otherId = (await buildUser(context, { companyId, role: 'D', firstName: 'Bob', lastName: 'Byrd' })).userId;
  await buildUser(context, { companyId, role: 'A', firstName: 'Office', lastName: 'Manager' });
  const user = await buildUser(context, { companyId, role: 'U', password });
  front = await app.signIn({ email: user.email, password });
});

/** A person without a sign-in, with their address and browser. */
const stranger = (address = `198.51.100.${(turn % 250) + 1}`) => {
  const person = app.anonymous();
  const headers = { 'x-forwarded-for': address };
  const holder = `${turn}`.padStart(32, '0');
  const params = { companyUid };
  return {
    page: () => person.call(getBookingPage, { params, headers }),
    slots: (from: string, to = from, doctor = doctorId) =>
      person.call(listBookingSlots, { params, headers, query: { from, to, doctorId: doctor } }),
    hold: (startDate: string, as = holder, doctor = doctorId) =>
      person.call(holdSlot, { params, headers, body: { holder: as, doctorId: doctor, startDate } }),
    release: (holdUid: string) => person.call(releaseSlot, { params: { companyUid, holdUid }, headers }),
    book: (holdUid: string, values: Partial<BookingBody> = {}) =>
      person.call(bookSlot, { params, headers, body: { holdUid, ...newcomer, ...values } }),
    request: (wish: string, key?: string) =>
      person.call(requestAppointment, {
        params,
        body: { doctorId: 0, wish, ...newcomer },
        headers: { ...headers, ...(key && { 'idempotency-key': key }) },
      }),
  };
};
const newcomer = { firstName: "D'Arcy", lastName: 'New', doB: '1990-05-17', phone: '', email: 'new@example.test' };
const tuesday = '2031-03-04';
/** 09:00 in New York on that Tuesday. */
const nine = '2031-03-04T14:00:00.000Z';
const free = (problem: { current?: unknown }) => (problem.current as TakenSlot).free;

describe('booking page', () => {
  test('returns the clinic and its bookable providers, and 404 for a clinic that takes no bookings', async () => {
    const { json } = await stranger().page();
    expect(json).toMatchObject({
      companyName: 'Test Clinic',
      firstDay: '2031-03-03',
      lastDay: '2031-06-01',
      allowReq: true,
    });
    // The administrator has neither an NPI nor a schedule rule.
    expect(json.providers.map(({ userId }) => userId)).toEqual([doctorId, otherId]);
    const closed = await buildCompany(context, { genericSchedule: false });
    const call = (uid: string) => app.anonymous().call(getBookingPage, { params: { companyUid: uid } });
    const [closedPage, absentPage] = [await call(closed.companyUid), await call('0'.repeat(32))];
    expect([closedPage.status, absentPage.status]).toEqual([404, 404]);
    expect(closedPage.problem).toEqual(absentPage.problem);
  });

  test('offers the general hours from Monday to Friday without rules, and otherwise the rules without time off', async () => {
    const { slots } = stranger();
    const day = async (date: string, doctor?: number) =>
      (await slots(date, date, doctor)).json.data.map((s) => s.startDate);
    // 08:00 to 17:00 in steps of 15 minutes, 30 minutes long.
    expect(await day(tuesday)).toHaveLength(35);
    expect(await day('2031-03-08')).toEqual([]);
    await buildRule(context, { companyId, doctorIds: [doctorId], times: [['09:00', '10:00']] });
    expect(await day(tuesday)).toEqual([nine, '2031-03-04T14:15:00.000Z', '2031-03-04T14:30:00.000Z']);
    expect(await day(tuesday, otherId)).toHaveLength(35);
    await buildTimeOff(context, { companyId, userId: doctorId, firstDay: tuesday, lastDay: tuesday });
    expect(await day(tuesday)).toEqual([]);
    // doctorId 0 (anyone): each start once.
    const anyone = (await slots(tuesday, tuesday, 0)).json.data;
    expect(new Set(anyone.map(({ startDate }) => startDate)).size).toBe(anyone.length);
    expect(anyone.every((start) => start.doctorId === otherId)).toBe(true);
    // No past days, and none after 90 days.
    expect(await day('2031-03-01')).toEqual([]);
    expect(await day('2031-06-02')).toEqual([]);
  });
});

describe('hold', () => {
  test('reserves a start for five minutes; others get 409 with the free starts', async () => {
    const { hold } = stranger();
    const held = await hold(nine);
    expect(held.json).toMatchObject({
      startDate: nine,
      doctorId,
      expires: expect.stringMatching(/^2031-03-03T13:05:/),
    });
    const rival = stranger('203.0.113.7');
    const refused = await rival.hold(nine, 'f'.repeat(32));
    expect(refused.problem).toMatchObject({ status: 409, code: 'slot-taken' });
    expect(free(refused.problem)[0]).toEqual({ startDate: '2031-03-04T14:30:00.000Z', doctorId });
    expect((await rival.slots(tuesday)).json.data.map(({ startDate }) => startDate)).not.toContain(nine);
    // One minute more than five: the test's clock runs between the calls.
    clock.set(monday + 6 * 60_000);
    expect((await rival.hold(nine, 'f'.repeat(32))).status).toBe(200);
  });

  test('is limited to one per browser and three per address, and can be released', async () => {
    const { hold, release } = stranger();
    const first = await hold(nine);
    expect((await hold('2031-03-04T15:00:00.000Z')).status).toBe(200);
    // The new hold released the first one.
    expect((await stranger('203.0.113.8').hold(nine, 'e'.repeat(32))).status).toBe(200);
    expect((await release(first.json.holdUid)).status).toBe(204);
    const others = ['1', '2'].map((digit) => digit.repeat(32));
    for (const [index, as] of others.entries()) {
      expect((await hold(`2031-03-04T16:${index === 0 ? '00' : '30'}:00.000Z`, as)).status).toBe(200);
    }
    const fourth = await hold('2031-03-04T18:00:00.000Z', '4'.repeat(32));
    expect(fourth.problem).toMatchObject({ status: 429, code: 'too-many' });
    expect(fourth.problem.retryAfter).toBeGreaterThan(0);
  });

  test('an IPv6 network of a customer counts as one address', async () => {
    const from = (host: number) => stranger(`2001:db8:${turn}:1::${host}`);
    for (const [host, minute] of [
      [1, '00'],
      [2, '30'],
    ] as const)
      expect((await from(host).hold(`2031-03-04T15:${minute}:00.000Z`, `${host}`.repeat(32))).status).toBe(200);
    expect((await from(3).hold('2031-03-04T16:00:00.000Z', '3'.repeat(32))).status).toBe(200);
    expect((await from(4).hold('2031-03-04T16:30:00.000Z', '4'.repeat(32))).problem.code).toBe('too-many');
  });

  test('the networks of one IPv6 /48 have twelve; another /48 is not affected', async () => {
    const hold = (address: string, n: number) => {
      const startDate = new Date(Date.parse(nine) + (n >> 1) * 30 * 60_000).toISOString();
      return stranger(address).hold(startDate, `${n}`.padStart(32, 'd'), n % 2 === 0 ? doctorId : otherId);
    };
    const site = `2001:db8:${turn}`;
    for (let n = 0; n < 12; n += 1) expect((await hold(`${site}:${n.toString(16)}00::1`, n)).status).toBe(200);
    const over = (await hold(`${site}:c00::1`, 12)).problem;
    expect([over.code, over.retryAfter]).toEqual(['too-many', expect.any(Number)]);
    expect((await hold(`2001:db8:f${turn}::1`, 12)).status).toBe(200);
    // A browser of the site replaces its own hold.
    expect((await hold(`${site}:b00::1`, 11)).status).toBe(200);
  });

  test('is refused off the grid, at night, too far ahead, and for a provider of another clinic', async () => {
    const { hold } = stranger();
    expect((await hold('2031-03-04T14:05:00.000Z')).problem.code).toBe('slot-taken');
    expect((await hold('2031-03-04T03:00:00.000Z')).problem.code).toBe('slot-taken');
    const farAhead = await hold('2031-09-02T14:00:00.000Z');
    expect([farAhead.problem.code, free(farAhead.problem)]).toEqual(['slot-taken', []]);
    const foreign = await buildUser(context, { role: 'D' });
    expect((await hold(nine, undefined, foreign.userId)).status).toBe(404);
  });

  test('is overridden by staff; its booking then gets 409 with the free starts', async () => {
    const { hold, book } = stranger();
    const held = await hold(nine);
    const { patientId } = await buildPatient(context, { companyId });
    const saved = await front.call(saveAppointment, {
      body: {
        appointmentId: 0,
        version: 0,
        startDate: nine,
        doctorId,
        patientId,
        cancelled: false,
        cancellationNotes: '',
        externalId: '',
        welcomeMessage: '',
      },
    });
    expect(saved.status).toBe(200);
    const lost = await book(held.json.holdUid);
    expect(lost.problem.code).toBe('slot-taken');
    expect(free(lost.problem)).not.toHaveLength(0);
  });
});

describe('booking', () => {
  test('creates a patient and an appointment with code and calendar entry; a repeat returns the same booking', async () => {
    const { hold, book } = stranger();
    const { holdUid } = (await hold(nine)).json;
    const [one, two] = await Promise.all([book(holdUid), book(holdUid)]);
    expect(one.status).toBe(200);
    expect(two.json).toMatchObject({ appointmentUid: one.json.appointmentUid, accessCode: one.json.accessCode });
    expect(one.json).toMatchObject({
      startDate: nine,
      endDate: '2031-03-04T14:30:00.000Z',
      doctor: { lastName: 'Ames' },
    });
    expect(one.json.calendar).toContain('BEGIN:VEVENT');
    const schedule = await front.call(listSchedule, { query: { from: tuesday, to: tuesday } });
    expect(schedule.json.data).toMatchObject([{ startDate: nine, doctorId, patient: "New, D'Arcy" }]);
    const patient = await app.signInPatient(one.json.accessCode);
    expect((await patient.call(listUpcomingAppointments)).json.data).toHaveLength(1);
    const [row] = schedule.json.data;
    const stored = await front.call(getPatient, { params: { patientId: row?.patientId ?? 0 } });
    expect(stored.json).toMatchObject({ verified: false, email: 'new@example.test', doB: '1990-05-17' });
    const appointment = await front.call(getAppointment, {
      params: { appointmentId: row?.appointmentId ?? 0 },
      query: {},
    });
    expect(appointment.json.notificationLogs).toMatchObject([
      { kind: 'invitation', notificationMethod: { name: 'Email' } },
    ]);
  });

  test('a name with a typographic apostrophe matches the known patient with a plain one', async () => {
    const { patientId: known } = await buildPatient(context, {
      companyId,
      firstName: newcomer.firstName,
      lastName: newcomer.lastName,
      birthDate: newcomer.doB,
      email: 'former@example.test',
    });
    const { hold, book } = stranger();
    const firstName = newcomer.firstName.replace("'", '’');
    await book((await hold(nine)).json.holdUid, { firstName });
    const [row] = (await front.call(listSchedule, { query: { from: tuesday, to: tuesday } })).json.data;
    const { json } = await front.call(listPatientMatches, { params: { patientId: row?.patientId ?? 0 } });
    expect(json.data).toMatchObject([{ patientId: known, same: ['name', 'doB'] }]);
    const params = { patientId: row?.patientId ?? 0 };
    const merged = await front.call(mergePatient, { params, body: { intoId: known, takeContact: true } });
    expect(merged.json).toEqual({ patientId: known, linksSent: true });
    const stored = await front.call(getPatient, { params: { patientId: known } });
    expect(stored.json).toMatchObject({ firstName: "D'Arcy", email: newcomer.email });
    const found = await front.call(listPatients, { query: { top: 10, skip: 0, filter: 'D’Arcy' } });
    expect(found.json.data.map(({ patientId }) => patientId)).toContain(known);
  });

  test('does not use the record of a known patient; staff merge the two', async () => {
    const known = await buildPatient(context, {
      companyId,
      firstName: newcomer.firstName,
      lastName: newcomer.lastName,
      birthDate: newcomer.doB,
      email: newcomer.email,
    });
    const { hold, book } = stranger();
    const booked = await book((await hold(nine)).json.holdUid);
    const [row] = (await front.call(listSchedule, { query: { from: tuesday, to: tuesday } })).json.data;
    const patientId = row?.patientId ?? 0;
    expect(patientId).not.toBe(known.patientId);
    const matches = await front.call(listPatientMatches, { params: { patientId } });
    expect(matches.json.data).toMatchObject([{ patientId: known.patientId, same: ['name', 'doB', 'email'] }]);
    // A moment after the booking's message: its link is dead, so the new one is no double click.
    clock.set(clock.now() + 1_000);
    const merged = await front.call(mergePatient, { params: { patientId }, body: { intoId: known.patientId } });
    expect(merged.json).toEqual({ patientId: known.patientId, linksSent: true });
    expect((await front.call(getPatient, { params: { patientId } })).status).toBe(404);
    const [after] = (await front.call(listSchedule, { query: { from: tuesday, to: tuesday } })).json.data;
    expect(after).toMatchObject({ appointmentId: row?.appointmentId, patientId: known.patientId });
    // The person who booked is unverified: only the new link, sent to the contact on file, works.
    await expect(app.signInPatient(booked.json.accessCode)).rejects.toThrow('wrong-code');
    const params = { appointmentId: row?.appointmentId ?? 0 };
    const appointment = (await front.call(getAppointment, { params, query: {} })).json;
    const patient = await app.signInPatient(appointment.accessCode);
    expect((await patient.call(listUpcomingAppointments)).json.data).toHaveLength(1);
    expect(appointment.notificationLogs.filter(({ kind }) => kind === 'invitation')).toHaveLength(2);
    const again = await front.call(mergePatient, { params: { patientId: known.patientId }, body: { intoId: 0 } });
    expect(again.problem.code).toBe('already-known');
  });

  test('returns the wrong fields, and hold-ended for an unknown hold', async () => {
    const { hold, book } = stranger();
    const { holdUid } = (await hold(nine)).json;
    expect((await book(holdUid, { email: '', phone: '' })).problem.fields).toHaveProperty('email');
    expect((await book(holdUid, { doB: '2031-03-05' })).problem.fields).toHaveProperty('doB');
    expect((await book(holdUid, { lastName: '4242 4242 4242 4242' })).problem.code).toBe('card-number');
    expect((await book('0'.repeat(32))).problem.code).toBe('hold-ended');
    // The hold has expired, and the clinic has time off since.
    clock.set(monday + 20 * 60_000);
    await buildTimeOff(context, { companyId, userId: doctorId, firstDay: tuesday, lastDay: tuesday });
    const closed = await book(holdUid);
    expect(closed.problem.code).toBe('slot-taken');
    expect(free(closed.problem)[0]?.startDate).toMatch(/^2031-03-05/);
  });

  test('is refused when the clinic adds time off while it is held', async () => {
    const { hold, book } = stranger();
    const { holdUid } = (await hold(nine)).json;
    await buildTimeOff(context, { companyId, userId: doctorId, firstDay: tuesday, lastDay: tuesday });
    const closed = await book(holdUid);
    expect(closed.problem.code).toBe('slot-taken');
    expect(free(closed.problem)[0]?.startDate).toMatch(/^2031-03-05/);
  });

  test('succeeds after the hold has expired while the time is offered', async () => {
    const { hold, book } = stranger();
    const { holdUid } = (await hold(nine)).json;
    clock.set(monday + 20 * 60_000);
    expect((await book(holdUid)).status).toBe(200);
  });
});

test('request for a time: staff see it and can close it', async () => {
  const { request } = stranger();
  expect((await request('Any evening after six.')).status).toBe(204);
  const { data } = (await front.call(listBookingRequests)).json;
  expect(data).toMatchObject([
    { wish: 'Any evening after six.', patient: { firstName: "D'Arcy" }, email: 'new@example.test' },
  ]);
  const params = { requestId: data[0]?.requestId ?? 0 };
  expect((await front.call(closeBookingRequest, { params })).status).toBe(204);
  expect((await front.call(closeBookingRequest, { params })).status).toBe(204);
  expect((await front.call(listBookingRequests)).json.data).toEqual([]);
});

test('request for a time: a repeat with the same key is one request', async () => {
  const { request } = stranger();
  const key = `key-of-a-form-${turn}`;
  const both = await Promise.all([request('Any evening after six.', key), request('Any evening after six.', key)]);
  expect(both.map(({ status }) => status)).toEqual([204, 204]);
  expect((await request('Any evening after six.', key)).status).toBe(204);
  expect((await front.call(listBookingRequests)).json.data).toHaveLength(1);
  expect((await request('Mornings, rather.', key)).problem.code).toBe('key-reused');
  expect((await request('Any evening after six.', `${key}-another`)).status).toBe(204);
  expect((await front.call(listBookingRequests)).json.data).toHaveLength(2);
});

describe('limits per address', () => {
  /** Each retry of a test uses new addresses. */
  let last = 60;
  const fresh = () => stranger(`192.0.2.${++last}`);
  test('free times: 60 requests a minute, then 429 with the seconds to wait', async () => {
    const { slots } = fresh();
    for (let asked = 0; asked < slotsPerMinute; asked += 1) {
      // The test's clock runs, so it is set before each call; the first one is 20 s older than the others.
      clock.set(monday + (asked === 0 ? 0 : 20_000 + asked * 100));
      expect((await slots(tuesday)).status).toBe(200);
    }
    const over = await slots(tuesday);
    expect(over.problem).toMatchObject({ status: 429, code: 'too-many' });
    expect(over.problem.retryAfter).toBeGreaterThan(15);
    expect(over.problem.retryAfter).toBeLessThanOrEqual(35);
    expect((await fresh().slots(tuesday)).status).toBe(200);
    // Only the first request is older than a minute.
    clock.set(monday + 70_000);
    expect([(await slots(tuesday)).status, (await slots(tuesday)).status]).toEqual([200, 429]);
  });

  test('holds: 20 a minute, then 429 with the seconds to wait', async () => {
    const { hold } = fresh();
    const starts = [nine, '2031-03-04T15:00:00.000Z'];
    for (let asked = 0; asked < holdsPerMinute; asked += 1) {
      clock.set(monday);
      expect((await hold(starts[asked % 2] ?? nine)).status).toBe(200);
    }
    const over = (await hold(nine)).problem;
    expect(over).toMatchObject({ status: 429, code: 'too-many' });
    expect(over.retryAfter).toBeGreaterThan(45);
    clock.set(monday + 65_000);
    expect((await hold(nine)).status).toBe(200);
  });
});

describe('limits of the networks of one IPv6 /48', () => {
  let sites = 0;
  const newSite = () => `2001:db8:${(0xa000 + (sites += 1)).toString(16)}`;
  const callers = {
    'free times': { limit: slotsPerMinute * 4, call: (address: string) => stranger(address).slots(tuesday) },
    holds: { limit: holdsPerMinute * 4, call: (address: string) => stranger(address).hold(nine) },
  };
  test.each(['free times', 'holds'] as const)(
    '%s: four times as many as of one; another /48 is not affected',
    async (name) => {
      const { limit, call } = callers[name];
      const [site, otherSite] = [newSite(), newSite()];
      const statuses = [];
      for (let asked = 0; asked < limit + 3; asked += 1) {
        clock.set(monday);
        statuses.push((await call(`${site}:${asked.toString(16)}00::1`)).status);
      }
      expect(statuses).toEqual([...Array(limit).fill(200), 429, 429, 429]);
      expect((await call(`${otherSite}::1`)).status).toBe(200);
    },
  );
});

describe('limit per email and phone', () => {
  let visitors = 0;
  /** Books from another address and browser at another time of that Tuesday. */
  const bookAs = async (contact: { email?: string; phone?: string }) => {
    visitors += 1;
    const { hold, book } = stranger(`203.0.113.${visitors}`);
    const startDate = new Date(Date.parse(nine) + ((visitors - 1) % 12) * 30 * 60_000).toISOString();
    const held = await hold(startDate, `${visitors}`.padStart(32, 'c'));
    return book(held.json.holdUid, { email: '', phone: '', ...contact });
  };
  const codeOf = (response: Awaited<ReturnType<typeof bookAs>>) =>
    response.status === 200 ? 'booked' : response.problem.code;
  beforeEach(() => {
    visitors = Math.ceil(visitors / 12) * 12;
  });

  test('a contact has at most five upcoming unverified bookings at a clinic, also with simultaneous ones', async () => {
    const all = await Promise.all(Array.from({ length: 7 }, () => bookAs({ email: 'many@example.test' })));
    const codes = all.map(codeOf);
    expect(codes.filter((code) => code === 'booked')).toHaveLength(maxUnverifiedAppointments);
    expect(codes.filter((code) => code === 'too-many-bookings')).toHaveLength(2);
    // In upper case and with another phone.
    expect(codeOf(await bookAs({ email: 'MANY@example.test', phone: '2125550171' }))).toBe('too-many-bookings');
    expect(codeOf(await bookAs({ email: 'other@example.test' }))).toBe('booked');
    // Staff verify one of the patients: their appointment no longer counts.
    const { data } = (await front.call(listSchedule, { query: { from: tuesday, to: tuesday } })).json;
    const confirm = { params: { patientId: data[0]?.patientId ?? 0 }, body: { intoId: 0 } };
    expect((await front.call(mergePatient, confirm)).status).toBe(200);
    const booked = await bookAs({ email: 'many@example.test' });
    expect(codeOf(booked)).toBe('booked');
    expect(codeOf(await bookAs({ email: 'many@example.test' }))).toBe('too-many-bookings');
    // The limit of another clinic is separate.
    const other = await buildCompany(context, { genericSchedule: true, duration: 30 });
    ({ companyUid } = other);
    doctorId = (await buildUser(context, { companyId: other.companyId, role: 'D' })).userId;
    expect(codeOf(await bookAs({ email: 'many@example.test' }))).toBe('booked');
  });

  test('cancelled appointments do not count an hour after they were booked, for phones as for emails', async () => {
    const phone = '2125550172';
    const bookings = [];
    for (let index = 0; index < maxUnverifiedAppointments; index += 1) bookings.push(await bookAs({ phone }));
    expect(bookings.map(codeOf)).toEqual(bookings.map(() => 'booked'));
    const refused = await bookAs({ phone, email: 'new@example.test' });
    expect([refused.status, refused.problem.code]).toEqual([422, 'too-many-bookings']);
    const patient = await app.signInPatient(bookings[0]?.json.accessCode ?? '');
    const uid = bookings[0]?.json.appointmentUid ?? '';
    expect((await patient.call(cancelMyAppointment, { params: { uid }, body: { version: 0 } })).status).toBe(204);
    // Booking and cancelling by turns would send messages without end.
    expect(codeOf(await bookAs({ phone }))).toBe('too-many-bookings');
    clock.set(clock.now() + 3_600_000);
    expect(codeOf(await bookAs({ phone }))).toBe('booked');
    expect(codeOf(await bookAs({ phone }))).toBe('too-many-bookings');
  });
});
