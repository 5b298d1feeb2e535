import type http from 'node:http';
import { getAppointment, saveAppointment } from '@roomside/contract/appointments/calls.ts';
import { listBookingSlots } from '@roomside/contract/booking/calls.ts';
import {
  changeClinicFeed,
  changeProviderFeed,
  createClinicFeed,
  createProviderFeed,
  getClinicFeed,
  getProviderCalendar,
  readCalendarFeed,
  removeClinicFeed,
  removeExternalCalendar,
  removeProviderFeed,
  saveExternalCalendar,
} from '@roomside/contract/calendars/calls.ts';
import { calendarProblems } from '@roomside/contract/calendars/problems.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import { getCompany, saveCompany } from '@roomside/contract/companies/calls.ts';
import { listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { deleteUser } from '@roomside/contract/users/calls.ts';
import ICAL from 'ical.js';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { watchAudit } from '../../../test/audit-rows.ts';
import { calendarOf, eventOf, startCalendarServer } from '../../../test/calendar-server.ts';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';

const elsewhere = await startCalendarServer();
afterAll(() => elsewhere.close());
const app = await startTestApp({ env: { EXTERNAL_CALENDAR_HOSTS: '127.0.0.1' } });
const { context, clock } = app;

/** A Monday, 08:00 in New York. */
const monday = Date.parse('2031-03-03T13:00:00Z');
const tuesday = '2031-03-04';
/** 09:00 there. */
const nine = '2031-03-04T14:00:00.000Z';
const minute = 60_000;

let companyId: number;
let companyUid: string;
let doctorId: number;
let otherId: number;
let adminId: number;
let adminEmail: string;
let patientId: number;
let admin: Person;
let doctor: Person;
let front: Person;
/** An administrator of another clinic. */
let stranger: Person;

beforeEach(async () => {
  clock.set(monday);
  // Unknown addresses of earlier tests.
  await context.db.open({ kind: 'unauthenticated' }, (tx) => tx.deleteFrom('sign_in_failures').execute());
  ({ companyId, companyUid } = await buildCompany(context, {
    companyName: 'Elm Clinic',
    duration: 30,
    genericSchedule: true,
    noticeHours: 0,
  }));
  const user = async (role: 'A' | 'D' | 'U', lastName: string, company = companyId) => {
    const built = await buildUser(context, { companyId: company, role, password, lastName });
    return { ...built, person: await app.signIn({ email: built.email, password }) };
  };
  ({ person: admin, userId: adminId, email: adminEmail } = await user('A', 'Zeta'));
  ({ person: front } = await user('U', 'Front'));
  ({ person: doctor, userId: doctorId } = await user('D', 'Ames'));
  ({ userId: otherId } = await buildUser(context, { companyId, role: 'D', lastName: 'Byrd' }));
  ({ person: stranger } = await user('A', 'Else', (await buildCompany(context)).companyId));
  ({ patientId } = await buildPatient(context, { companyId, firstName: 'Siobhan', lastName: "O'Brien" }));
});

const book = (startDate = nine, by = doctorId) =>
  buildAppointment(context, { companyId, patientId, doctorId: by, startDate, minutes: 30 });
const make = async (person = doctor, userId = doctorId, showsInitials = false) => {
  const made = await person.call(createProviderFeed, { params: { userId }, body: { showsInitials } });
  expect(made.status).toBe(200);
  return made.json.address;
};
const createClinics = async () => (await admin.call(createClinicFeed, { body: { showsInitials: false } })).json.address;
const fileOf = (address: string) => address.split('/').at(-1) ?? '';
const read = (address: string, headers: Record<string, string> = {}) =>
  app.anonymous().call(readCalendarFeed, { params: { file: fileOf(address) }, headers });
const eventsOf = (text: string) =>
  new ICAL.Component(ICAL.parse(text) as unknown[]).getAllSubcomponents('vevent').map((one) => new ICAL.Event(one));
const settingsOf = async (userId = doctorId) => (await admin.call(getProviderCalendar, { params: { userId } })).json;
const change = (table: 'users' | 'companies', id: number, values: object) =>
  context.db.open({ kind: 'super' }, (tx) =>
    table === 'users'
      ? tx.updateTable('users').set(values).where('user_id', '=', id).execute()
      : tx.updateTable('companies').set(values).where('company_id', '=', id).execute(),
  );

describe('calendar feed', () => {
  test('feed of a provider: has the own appointments in UTC, with the UID of the mails, and no patient', async () => {
    const own = await book();
    await book(nine, otherId);
    await book('2031-01-15T14:00:00.000Z');
    const address = await make();
    const answer = await read(address);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    const events = eventsOf(answer.text);
    expect(events.map(({ uid, summary, sequence }) => [uid, summary, sequence])).toEqual([
      [`${own.appointmentUid}@roomside`, 'Appointment', 0],
    ]);
    expect(answer.text).toContain('DTSTART:20310304T140000Z\r\n');
    expect(answer.text).toContain('DTEND:20310304T143000Z\r\n');
    expect(answer.text).toContain('X-PUBLISHED-TTL:PT15M');
    expect(answer.text).toContain('METHOD:PUBLISH');
    expect(answer.text).not.toMatch(/Siobhan|Brien|ATTENDEE|LOCATION|DESCRIPTION/);
  });

  test('feed with initials: shows them, and nothing else of the patient', async () => {
    await book();
    const { text } = await read(await make(doctor, doctorId, true));
    expect(eventsOf(text).map(({ summary }) => summary)).toEqual(['Appointment (S.O.)']);
  });

  test('feed of the clinic: has the appointments of all providers with their names', async () => {
    await book();
    await book(nine, otherId);
    const { text } = await read(await createClinics());
    expect(
      eventsOf(text)
        .map(({ summary }) => summary)
        .sort(),
    ).toEqual(['Appointment: Dana Ames', 'Appointment: Dana Byrd']);
  });

  test('feed after a move and a cancellation: has the new time with a higher SEQUENCE, then nothing', async () => {
    const { appointmentId } = await book();
    const address = await make();
    const save = async (values: Partial<BodyOf<typeof saveAppointment>>) => {
      const { json } = await admin.call(getAppointment, { params: { appointmentId } });
      const { version, welcomeMessage } = json as { version: number; welcomeMessage: string };
      const saved = await admin.call(saveAppointment, {
        body: {
          appointmentId,
          version,
          startDate: nine,
          doctorId,
          patientId,
          cancelled: false,
          cancellationNotes: '',
          externalId: '',
          welcomeMessage,
          ...values,
        },
      });
      expect([saved.status, saved.text]).toEqual([200, expect.any(String)]);
    };
    const moved = '2031-03-04T16:00:00.000Z';
    await save({ startDate: moved });
    const [event] = eventsOf((await read(address)).text);
    expect([event?.sequence, event?.startDate.toJSDate().toISOString()]).toEqual([1, moved]);
    await save({ startDate: moved, cancelled: true });
    expect(eventsOf((await read(address)).text)).toEqual([]);
  });

  test('feed that has not changed: returns 304 without content and without an audit row', async () => {
    await book();
    const address = await make();
    const audited = await watchAudit(app);
    const first = await read(address);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    const second = await read(address, { 'if-none-match': etag });
    expect([second.status, second.text, second.headers.get('etag')]).toEqual([304, '', etag]);
    await book('2031-03-04T18:00:00.000Z');
    expect((await read(address, { 'if-none-match': etag })).status).toBe(200);
    expect((await audited()).filter(({ action }) => action === 'readCalendarFeed')).toMatchObject([
      { company_id: companyId, actor: 'system', path: '/api/calendar/:file', objects: { userId: doctorId } },
      { objects: { appointments: [expect.any(Number), expect.any(Number)] } },
    ]);
  });

  test('feed whose address is renewed or removed: the former address ends immediately', async () => {
    const old = await make();
    const renewed = await make(admin);
    expect(renewed).not.toBe(old);
    expect([(await read(old)).status, (await read(renewed)).status]).toEqual([404, 200]);
    expect((await settingsOf()).feed).toMatchObject({ showsInitials: false, readAt: expect.any(String) });
    await doctor.call(removeProviderFeed, { params: { userId: doctorId } });
    expect([(await read(renewed)).status, (await settingsOf()).feed]).toEqual([404, null]);
    const clinics = await createClinics();
    await admin.call(removeClinicFeed);
    expect([(await read(clinics)).status, (await admin.call(getClinicFeed)).json.feed]).toEqual([404, null]);
  });

  test('feed whose initials are switched: the next reading shows them or not, at the same address', async () => {
    await book();
    const [own, clinics] = [await make(), await createClinics()];
    const body = (showsInitials: boolean) => ({ body: { showsInitials } });
    const titles = async () =>
      Promise.all([own, clinics].map(async (one) => eventsOf((await read(one)).text).map(({ summary }) => summary)));
    const before = await titles();
    const params = { userId: doctorId };
    expect((await doctor.call(changeProviderFeed, { params, ...body(true) })).status).toBe(204);
    expect((await admin.call(changeClinicFeed, body(true))).status).toBe(204);
    for (const [title] of await titles()) expect(title).toContain('(S.O.)');
    expect((await settingsOf()).feed?.showsInitials).toBe(true);
    await doctor.call(changeProviderFeed, { params, ...body(false) });
    await admin.call(changeClinicFeed, body(false));
    expect(await titles()).toEqual(before);
    expect((await front.call(changeProviderFeed, { params, ...body(true) })).status).toBe(403);
    expect((await stranger.call(changeProviderFeed, { params, ...body(true) })).status).toBe(404);
  });

  test('feed of a disabled or former provider, or a disabled or expired clinic: is refused as an unknown one', async () => {
    const unknown = await read(`/${'A'.repeat(43)}.ics`);
    expect(unknown.status).toBe(404);
    const [own, clinics] = [await make(), await createClinics()];
    const answers = async (...addresses: string[]) => Promise.all(addresses.map(async (one) => (await read(one)).text));
    await change('users', doctorId, { disabled: true });
    expect(await answers(own)).toEqual([unknown.text]);
    await change('users', doctorId, { disabled: false, role_id: 'U' });
    expect(await answers(own)).toEqual([unknown.text]);
    await change('users', doctorId, { role_id: 'D' });
    for (const values of [{ disabled: true }, { disabled: false, expiration_date: '2031-03-03' }]) {
      await change('companies', companyId, values);
      expect(await answers(own, clinics)).toEqual([unknown.text, unknown.text]);
    }
    await change('companies', companyId, { expiration_date: '2031-03-04' });
    expect((await read(own)).status).toBe(200);
  });

  test('many unknown addresses from one network: have to wait, valid ones are not slowed down', async () => {
    const address = await make();
    const statuses: number[] = [];
    for (let number = 0; number < 25; number += 1)
      statuses.push((await read(`/${String(number).padStart(43, '0')}.ics`)).status);
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    expect((await read(address)).status).toBe(200);
  });

  test('the log and the database: have no secret', async () => {
    const secret = fileOf(await make()).replace('.ics', '');
    expect(secret).toHaveLength(43);
    await read(`/${secret}.ics`);
    expect(app.logged.some((line) => line.includes('/api/calendar/:file'))).toBe(true);
    expect(app.logged.filter((line) => line.includes(secret))).toEqual([]);
    const rows = await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx.selectFrom('calendar_feeds').selectAll().execute(),
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('feed of a user who is deleted: ends', async () => {
    const { userId } = await buildUser(context, { companyId, role: 'D' });
    const address = await make(admin, userId);
    elsewhere.serve(calendarOf(eventOf('DTSTART:20310304T140000Z', 'DURATION:PT1H')));
    await admin.call(saveExternalCalendar, { params: { userId }, body: { address: elsewhere.url } });
    expect((await admin.call(deleteUser, { params: { userId } })).status).toBe(204);
    expect((await read(address)).status).toBe(404);
  });
});

describe('external calendar', () => {
  const save = (address = `${elsewhere.url}/secret/${companyId}.ics`, person = doctor, userId = doctorId) =>
    person.call(saveExternalCalendar, { params: { userId }, body: { address } });
  const busyOf = async () =>
    (await admin.call(listSchedule, { query: { from: tuesday, to: tuesday } })).json.busy.map(
      ({ doctorId: id, startDate, endDate }) => [id, startDate, endDate],
    );
  const freeOf = async () => {
    const { json } = await admin.call(listSlots, { query: { doctorId, date: tuesday } });
    return json.data.filter(({ free }) => free).map(({ startDate }) => startDate);
  };
  /** Lets time pass, after which calendars may be due. Access tokens end meanwhile. */
  const pass = async (ms: number) => {
    clock.set(clock.now() + ms);
    admin = await app.signIn({ email: adminEmail, password });
  };
  /** The requests for this test's calendar; those of earlier tests are read on. */
  const requests = () => elsewhere.requests.filter(({ path }) => path.includes(String(companyId)));
  const event = (start: string, ...lines: string[]) => eventOf(`DTSTART:${start}`, 'DURATION:PT1H', ...lines);

  test('is time off: staff see it, and it is not offered', async () => {
    elsewhere.serve(calendarOf(event('20310304T140000Z', 'SUMMARY:Dentist in Boston')));
    const saved = await save();
    expect(saved.json).toEqual({
      host: new URL(elsewhere.url).host,
      readAt: expect.any(String),
      failedAt: null,
      problem: null,
      busy: 1,
    });
    expect(await busyOf()).toEqual([[doctorId, nine, '2031-03-04T15:00:00.000Z']]);
    const free = await freeOf();
    expect([free.includes(nine), free.includes('2031-03-04T15:00:00.000Z')]).toEqual([false, true]);
    const offered = await app
      .anonymous()
      .call(listBookingSlots, { params: { companyUid }, query: { from: tuesday, to: tuesday, doctorId } });
    const starts = offered.json.data.map(({ startDate }) => startDate);
    expect([starts.includes(nine), starts.includes('2031-03-04T15:00:00.000Z')]).toEqual([false, true]);
    const stored = await context.db.open({ kind: 'job', companyId }, async (tx) => [
      ...(await tx.selectFrom('busy_times').selectAll().execute()),
      ...(await tx.selectFrom('external_calendars').selectAll().execute()),
    ]);
    expect(JSON.stringify(stored)).not.toMatch(/Dentist|secret/);
  });

  test('appointment in a busy time: staff are asked, then book over it; one that was there before stays', async () => {
    const { appointmentId } = await book();
    elsewhere.serve(calendarOf(event('20310304T140000Z')));
    await save();
    expect((await admin.call(getAppointment, { params: { appointmentId } })).json).toMatchObject({ cancelled: false });
    const body = {
      appointmentId: 0,
      version: 0,
      startDate: '2031-03-04T14:30:00.000Z',
      doctorId,
      patientId,
      cancelled: false,
      cancellationNotes: '',
      externalId: '',
      welcomeMessage: '',
    };
    const refused = await front.call(saveAppointment, { body });
    expect([refused.status, refused.problem.code]).toEqual([409, 'slot-taken']);
    expect((await front.call(saveAppointment, { body: { ...body, overbook: true } })).status).toBe(200);
  });

  test('is read again after five minutes, with conditions while it does not change', async () => {
    elsewhere.serve(calendarOf(event('20310304T140000Z')));
    await save();
    const before = requests().length;
    await pass(5 * minute);
    await expect.poll(() => requests().length).toBe(before + 1);
    expect(requests().at(-1)?.headers['if-none-match']).toMatch(/^"v/);
    elsewhere.serve(calendarOf(event('20310304T160000Z')));
    await expect
      .poll(async () => Date.parse((await settingsOf()).external?.readAt ?? ''))
      .toBeGreaterThanOrEqual(monday + 5 * minute);
    await pass(5 * minute);
    await expect.poll(busyOf).toEqual([[doctorId, '2031-03-04T16:00:00.000Z', '2031-03-04T17:00:00.000Z']]);
    // Once a day without conditions: recurrences go on in a calendar that does not change.
    const last = requests().length;
    await pass(25 * 60 * minute);
    await expect.poll(() => requests().length).toBeGreaterThan(last);
    expect(requests()[last]?.headers['if-none-match']).toBe(undefined);
  });

  test('calendar without a zone: is read again in the new zone of the clinic, though it has not changed', async () => {
    elsewhere.serve(calendarOf(event('20310304T090000')));
    await save();
    expect(await busyOf()).toEqual([[doctorId, nine, '2031-03-04T15:00:00.000Z']]);
    const { email } = await buildUser(context, { companyId: null, password });
    const root = await app.signIn({ email, password });
    const { json: company } = await root.call(getCompany, { params: { companyId } });
    expect((await root.call(saveCompany, { body: { ...company, timeZone: 'America/Chicago' } })).status).toBe(200);
    await pass(5 * minute);
    await expect.poll(busyOf).toEqual([[doctorId, '2031-03-04T15:00:00.000Z', '2031-03-04T16:00:00.000Z']]);
  });

  test('calendar that fails: the busy times stay, the reason is shown, and it is tried again', async () => {
    elsewhere.serve(calendarOf(event('20310304T140000Z')));
    await save();
    elsewhere.answer((_request, response) => void response.writeHead(404).end());
    await pass(5 * minute);
    await expect
      .poll(async () => (await settingsOf()).external)
      .toMatchObject({
        problem: 'refused',
        failedAt: expect.any(String),
        busy: 1,
      });
    expect(await busyOf()).toHaveLength(1);
    elsewhere.answer((_request, response) => void response.writeHead(200).end('<html>Sign in</html>'));
    await pass(5 * minute);
    await expect.poll(async () => (await settingsOf()).external?.problem).toBe('not-calendar');
    elsewhere.serve(calendarOf());
    await pass(60 * minute);
    await expect
      .poll(async () => (await settingsOf()).external)
      .toMatchObject({ problem: null, failedAt: null, busy: 0 });
    expect(await busyOf()).toEqual([]);
  });

  test('calendar on a server that does not respond: delays no other calendars', async () => {
    const quick = calendarOf(event('20310304T140000Z'));
    elsewhere.serve(quick);
    await save();
    for (let n = 0; n < 6; n += 1) {
      const { userId } = await buildUser(context, { companyId, role: 'D' });
      expect((await save(`${elsewhere.url}/other/${companyId}/${n}.ics`, admin, userId)).status).toBe(200);
    }
    const held: http.ServerResponse[] = [];
    elsewhere.answer(({ url }, response) => {
      if (url === `/secret/${companyId}.ics`) held.push(response);
      else response.writeHead(200, { 'content-type': 'text/calendar' }).end(quick);
    });
    const before = requests().length;
    await pass(5 * minute);
    await expect.poll(() => requests().length).toBe(before + 7);
    expect(held).toHaveLength(1);
    for (const response of held) response.end();
  });

  test('calendar whose worker has vanished: another worker reads it', async () => {
    elsewhere.serve(calendarOf(event('20310304T140000Z')));
    await save();
    elsewhere.serve(calendarOf());
    // What a killed server leaves behind.
    await context.db.open({ kind: 'job', companyId }, (tx) =>
      tx
        .updateTable('external_calendars')
        .set({
          claim: '11111111-1111-4111-8111-111111111111',
          lease_until: new Date(clock.now() + 6 * minute).toISOString(),
        })
        .execute(),
    );
    const before = requests().length;
    await pass(7 * minute);
    await expect.poll(busyOf).toEqual([]);
    expect(requests().length).toBe(before + 1);
  });

  test('calendar that contains our own appointments: they are not busy, those of other clinics are', async () => {
    const own = await book();
    const { companyId: elseId } = await buildCompany(context);
    const foreign = await buildAppointment(context, {
      startDate: '2031-03-04T18:00:00.000Z',
      companyId: elseId,
      patientId: (await buildPatient(context, { companyId: elseId })).patientId,
      doctorId: (await buildUser(context, { companyId: elseId, role: 'D' })).userId,
    });
    elsewhere.serve(
      calendarOf(
        event('20310304T140000Z', `UID:${own.appointmentUid}@roomside`),
        event('20310304T180000Z', `UID:${foreign.appointmentUid}@roomside`),
      ),
    );
    await save();
    expect(await busyOf()).toEqual([[doctorId, '2031-03-04T18:00:00.000Z', '2031-03-04T19:00:00.000Z']]);
  });

  test.each([
    ['a page', '<html></html>', calendarProblems['not-calendar']],
    ['a calendar of more than 5 MB', `BEGIN:VCALENDAR\r\n${'x'.repeat(5_300_000)}`, calendarProblems['too-large']],
  ])('calendar address of %s: is refused under the field, and nothing is saved', async (_title, text, expected) => {
    elsewhere.serve(text);
    const refused = await save();
    expect([refused.status, refused.problem.fields]).toEqual([422, { address: expected }]);
    expect((await settingsOf()).external).toBe(null);
  });

  test.each([
    ['http://example.com/a.ics', calendarProblems['not-https']],
    ['https://10.0.0.1/a.ics', calendarProblems.private],
    ['my calendar', calendarProblems.address],
  ])('calendar address %s: is refused under the field', async (address, expected) => {
    const refused = await save(address);
    expect([refused.status, refused.problem.fields]).toEqual([422, { address: expected }]);
  });

  test('calendar that is removed: its busy times are removed with it', async () => {
    elsewhere.serve(calendarOf(event('20310304T140000Z')));
    await save();
    const before = requests().length;
    expect((await doctor.call(removeExternalCalendar, { params: { userId: doctorId } })).status).toBe(204);
    expect([await busyOf(), (await settingsOf()).external]).toEqual([[], null]);
    await pass(10 * minute);
    expect((await freeOf()).includes(nine)).toBe(true);
    expect(requests().length).toBe(before);
  });

  test('calendar of a disabled provider: is not read', async () => {
    elsewhere.serve(calendarOf(event('20310304T140000Z')));
    await save();
    await change('users', doctorId, { disabled: true });
    const second = await save(`${elsewhere.url}/second/${companyId}.ics`, admin, otherId);
    expect(second.status).toBe(200);
    const before = requests().length;
    await pass(5 * minute);
    await expect.poll(() => requests().length).toBe(before + 1);
    expect(requests().at(-1)?.path).toBe(`/second/${companyId}.ics`);
  });

  test('many addresses in a minute: have to wait', async () => {
    const statuses: number[] = [];
    for (let number = 0; number < 11; number += 1) statuses.push((await save('https://10.0.0.1/')).status);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('rights on calendars', () => {
  test('front desk none, providers their own, administrators those of their clinic', async () => {
    const statusOf = async (person: Person, userId: number) =>
      (await person.call(getProviderCalendar, { params: { userId } })).status;
    expect([
      await statusOf(front, doctorId),
      await statusOf(doctor, doctorId),
      await statusOf(doctor, otherId),
      await statusOf(admin, otherId),
      await statusOf(admin, adminId),
      await statusOf(stranger, doctorId),
      (await doctor.call(getClinicFeed)).status,
      (await front.call(getClinicFeed)).status,
    ]).toEqual([403, 200, 403, 200, 200, 404, 403, 403]);
  });
});
