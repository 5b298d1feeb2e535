import {
  deletePatient,
  getPatient,
  listPatients,
  type PatientBody,
  savePatient,
} from '@roomside/contract/patients/calls.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { fold } from '../../platform/fold.ts';

const app = await startTestApp();
const { context, clock } = app;
let companyId: number;
let doctorId: number;
let staff: Person;

beforeAll(async () => {
  ({ companyId } = await buildCompany(context));
  const user = await buildUser(context, { companyId, role: 'U', password });
  doctorId = (await buildUser(context, { companyId, role: 'D' })).userId;
  staff = await app.signIn({ email: user.email, password });
});

const body = (values: Partial<PatientBody> = {}): PatientBody => ({
  patientId: 0,
  version: 0,
  firstName: 'Ann',
  lastName: "O'Lee",
  doB: '1980-02-29',
  email: 'ann@example.test',
  externalId: 'E-1',
  patientPhones: [{ phone: '2125551234' }, { phone: '3105551234' }],
  ...values,
});
const save = (values: Partial<PatientBody> = {}) => staff.call(savePatient, { body: body(values) });

describe('patient', () => {
  test('savePatient: stores all fields and the order of phones; an old version returns 409 @CALL-18 @ENTITY-2', async () => {
    const { json } = await save();
    const read = () => staff.call(getPatient, { params: { patientId: json.patientId } });
    const { patientId: _, ...fields } = body();
    expect((await read()).json).toMatchObject(fields);
    expect((await save({ patientId: json.patientId, patientPhones: [{ phone: '3105551234' }] })).json.version).toBe(1);
    expect((await read()).json.patientPhones).toEqual([{ phone: '3105551234' }]);
    expect((await save({ patientId: json.patientId, firstName: 'Late' })).problem).toMatchObject({
      status: 409,
      code: 'stale',
      current: { version: 1 },
    });
  });

  test.each([
    [{ firstName: ' ' }, { firstName: 'Required' }],
    [{ lastName: 'x'.repeat(51) }, { lastName: 'At most 50 characters' }],
    [{ doB: '' }, { doB: 'Required' }],
    [{ doB: '1981-02-29' }, { doB: 'Not valid' }],
    [{ doB: '2999-01-01' }, { doB: 'Not valid' }],
    [{ email: 'ann@' }, { email: "Doesn't seem valid" }],
    [{ externalId: 'x'.repeat(51) }, { externalId: 'At most 50 characters' }],
    [{ patientPhones: [{ phone: '' }] }, { 'patientPhones.0.phone': 'Required' }],
    [{ email: '', patientPhones: [] }, { email: 'Please provide at least one phone or an email.' }],
  ] as const)(
    'savePatient with %j: returns 422 with the field @VALID-22 @VALID-23 @VALID-24 @VALID-25',
    async (values, fields) => {
      const response = await save(values as Partial<PatientBody>);
      expect(response.problem).toMatchObject({ status: 422, fields });
    },
  );

  test('deletePatient: archives, and is refused while there are upcoming appointments', async () => {
    const { patientId } = await buildPatient(context, { companyId });
    const remove = () => staff.call(deletePatient, { params: { patientId } });
    await buildAppointment(context, {
      companyId,
      patientId,
      doctorId,
      startDate: new Date(clock.now() + 86_400_000).toISOString(),
    });
    expect((await remove()).problem.code).toBe('has-appointments');
    const { patientId: free } = await buildPatient(context, { companyId });
    const removed = await staff.call(deletePatient, { params: { patientId: free } });
    expect([removed.status, (await staff.call(getPatient, { params: { patientId: free } })).status]).toEqual([
      204, 404,
    ]);
    const kept = await context.db.open({ kind: 'company', companyId }, (tx) =>
      tx.selectFrom('patients').select('archived_at').where('patient_id', '=', free).executeTakeFirst(),
    );
    expect(kept?.archived_at).not.toBeNull();
  });
});

describe('listPatients', () => {
  let admin: Person;
  let ids: number[];
  const hour = 3_600_000;
  beforeAll(async () => {
    const { companyId: otherCompanyId } = await buildCompany(context);
    const user = await buildUser(context, { companyId: otherCompanyId, role: 'A', password });
    admin = await app.signIn({ email: user.email, password });
    const names = [
      ['Zoë', 'Ångström'],
      ['Ann', 'Lee'],
      ['Bob', 'Lee'],
      ['100%', 'Sure_thing'],
      ['Mary Ann', 'de la Cruz'],
    ] as const;
    ids = [];
    for (const [index, [firstName, lastName]] of names.entries()) {
      const email = `p${index}@example.test`;
      const created = new Date(clock.now() - index * hour).toISOString();
      const { patientId } = await buildPatient(context, {
        companyId: otherCompanyId,
        firstName,
        lastName,
        email,
        phones: [`21255500${10 + index}`],
        birthDate: `19${50 + index}-01-01`,
        createdAt: created,
      });
      ids.push(patientId);
    }
    const at = (hours: number) => new Date(clock.now() + hours * hour).toISOString();
    const addAppointment = (index: number, hours: number, extra: object = {}) =>
      buildAppointment(context, {
        companyId: otherCompanyId,
        patientId: ids[index] as number,
        doctorId: user.userId,
        startDate: at(hours),
        overbooked: true,
        ...extra,
      });
    await addAppointment(1, -50, { visit: { duration: 300 } });
    await addAppointment(1, -30); // missed
    await addAppointment(1, -20, { cancelled: true });
    await addAppointment(1, 20, { cancelled: true });
    await addAppointment(1, 40);
    await addAppointment(1, 60);
    await addAppointment(2, 10);
  });
  const list = (query: object = {}) => admin.call(listPatients, { query: { top: 10, skip: 0, ...query } });

  test('last and next appointment: leave out cancelled and missed ones @PATIENTS-1', async () => {
    const { json } = await list({ filter: 'ann lee' });
    expect(json.total).toBe(1);
    const hours = (instant: string | null | undefined) =>
      instant && Math.round((Date.parse(instant) - clock.now()) / hour);
    expect([hours(json.data[0]?.lastAppointment), hours(json.data[0]?.nextAppointment)]).toEqual([-50, 40]);
  });

  test('filter: finds names, phones and emails, without wildcards @CALL-18', async () => {
    const found = async (filter: string) =>
      (await list({ filter })).json.data.map((row) => ids.indexOf(row.patientId)).toSorted((a, b) => a - b);
    expect(await found('lee')).toEqual([1, 2]);
    expect(await found('ångs')).toEqual([0]);
    expect(await found('a\u030angs')).toEqual([0]);
    expect(await found('2125550013')).toEqual([3]);
    expect(await found('p4@example')).toEqual([4]);
    expect(await found('%')).toEqual([3]);
    expect(await found('_')).toEqual([3]);
    expect(await found("'; drop table patients; --")).toEqual([]);
  });

  test('fold: gives the same in the database and in the server', async () => {
    const typed = ['O’Brien', 'O`Brien\u00b4s', 'Ame\u0301lie  Ångström ', 'Smith\u2011Jones \u2013 Żak', 'ＦＵＬＬ'];
    const folded = await context.db.open({ kind: 'unauthenticated' }, (tx) =>
      sql<{
        text: string;
      }>`select fold(t) as text from unnest(${typed}::text[]) with ordinality as u (t, n) order by n`.execute(tx),
    );
    expect(folded.rows.map(({ text }) => text)).toEqual(typed.map(fold));
    expect(typed.slice(0, 2).map(fold)).toEqual(["o'brien", "o'brien's"]);
  });

  test.each(['firstName', 'lastName', 'doB', 'created', 'lastAppointment', 'nextAppointment'] as const)(
    'order by %s: pages forward and backward @PATIENTS-3',
    async (column) => {
      for (const direction of ['asc', 'desc'] as const) {
        const orderBy = `${column} ${direction}`;
        const all = (await list({ orderBy })).json.data.map((row) => row.patientId);
        expect(all).toHaveLength(5);
        const one = await list({ orderBy, top: 2 });
        const two = await list({ orderBy, top: 2, skip: 2, total: 5, after: one.json.last });
        const three = await list({ orderBy, top: 2, skip: 4, total: 5, after: two.json.last });
        expect([one, two, three].flatMap((page) => page.json.data.map((row) => row.patientId))).toEqual(all);
        const back = await list({ orderBy, top: 2, skip: 0, total: 5, before: two.json.first });
        expect(back.json.data).toEqual(one.json.data);
      }
    },
  );
});
