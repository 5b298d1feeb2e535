import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { listRules } from '@roomside/contract/scheduling-rules/calls.ts';
import { listDoctors } from '@roomside/contract/users/calls.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Person, password, startTestApp } from '../../../test/test-app.ts';
import { buildAppointment, buildCompany, buildPatient, buildRule, buildUser } from '../../demo/builders.ts';
import type { TxKind } from '../../platform/database/database.ts';

const app = await startTestApp();
const { context, clock } = app;
/** In the order of a directory. The order of bytes would put "Zimmer" before "adams", "de la Cruz" and "Ávila". */
const names = [
  'adams',
  'Avery',
  'Ávila',
  'Decker',
  'Delacroix',
  'de la Cruz',
  'Dell',
  'O’Brien',
  "O'Bryan",
  'Öztürk',
  'Smith',
  'Smith-Jones',
  'Smithson',
  'Zimmer',
];
const shuffled = names.map((_, i) => names[(i * 5) % names.length] ?? '');
let companyId: number;
let staff: Person;

beforeAll(async () => {
  ({ companyId } = await buildCompany(context));
  const user = await buildUser(context, { companyId, role: 'U', password });
  staff = await app.signIn({ email: user.email, password });
  for (const [i, lastName] of shuffled.entries()) {
    const { patientId } = await buildPatient(context, { companyId, firstName: 'Ann', lastName });
    const { userId: doctorId } = await buildUser(context, { companyId, role: 'D', firstName: 'Ann', lastName });
    const startDate = new Date(clock.now() + (i + 1) * 3_600_000).toISOString();
    await buildAppointment(context, { companyId, patientId, doctorId, startDate });
    await buildRule(context, { companyId, doctorIds: [doctorId], description: lastName });
  }
});

describe('order of names', () => {
  test.each(['lastName asc', 'lastName desc'] as const)(
    'listPatients by %s: is alphabetical across pages @PATIENTS-3',
    async (orderBy) => {
      const expected = orderBy.endsWith('asc') ? names : names.toReversed();
      const seen: string[] = [];
      let after: string | undefined;
      for (let skip = 0; skip < names.length; skip += 3) {
        const query = { top: 3, skip, orderBy, total: names.length, ...(after && { after }) };
        const { json } = await staff.call(listPatients, { query });
        seen.push(...json.data.map((row) => row.lastName));
        after = json.last;
      }
      expect(seen).toEqual(expected);
    },
  );

  test('listAppointments by patient and by doctor: is alphabetical across pages in both directions @LIST-16', async () => {
    for (const orderBy of ['patient asc', 'doctor asc'] as const) {
      const page = async (place: object) =>
        (await staff.call(listAppointments, { query: { top: 7, skip: 0, orderBy, total: 14, ...place } })).json;
      const one = await page({});
      const two = await page({ skip: 7, after: one.last });
      const last = [...one.data, ...two.data].map(
        (row) => (orderBy === 'patient asc' ? row.patient : row.doctor).lastName,
      );
      expect(last).toEqual(names);
      expect((await page({ before: two.first })).data).toEqual(one.data);
    }
  });

  test('listDoctors, and listRules by description: are alphabetical @LIST-4 @RULES-1', async () => {
    expect((await staff.call(listDoctors)).json.data.map((row) => row.lastName)).toEqual(names);
    const query = { top: 50, skip: 0, orderBy: 'description asc' as const };
    expect((await staff.call(listRules, { query })).json.data.map((row) => row.description)).toEqual(names);
  });
});

describe('query plans with many rows and row-level security', () => {
  const plan = (kind: TxKind, query: string) =>
    context.db.open(kind, async (tx) => {
      const { rows } = await sql.raw<{ 'QUERY PLAN': string }>(`explain (costs off) ${query}`).execute(tx);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  let largeCompanyId: number;

  beforeAll(async () => {
    largeCompanyId = (await buildCompany(context)).companyId;
    await context.db.open({ kind: 'job', companyId: largeCompanyId }, (tx) =>
      sql`insert into patients (company_id, first_name, last_name, birth_date, search, created_at)
        select ${largeCompanyId}, 'First ' || i, 'Last ' || md5(i::text), '1980-01-01', 'first last ' || i, now()
        from generate_series(1, 20000) i`.execute(tx),
    );
    const owner = new pg.Client(app.database.owner);
    await owner.connect();
    await owner.query('analyze patients');
    await owner.end();
  });

  test('page after a name: starts within the index', async () => {
    const collated = ['last_name', 'first_name'].map((name) => `p.${name} collate name_order`).join(', ');
    const query = `select patient_id from patients p
      where archived_at is null and company_id = ${largeCompanyId} and (${collated}, patient_id) > ('Last 8'::text, 'a'::text, 0::bigint)
      order by ${collated}, patient_id limit 50`;
    const found = await plan({ kind: 'company', companyId: largeCompanyId }, query);
    expect(found).toMatch(/Index (Only )?Scan using patients_last_name/);
    // The bound is an index condition, not a filter over the rows.
    expect(found).toMatch(/Index Cond: .*ROW\(/);
    expect(found).not.toContain('Sort');
  });
});
