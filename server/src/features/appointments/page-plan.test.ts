import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../../../test/test-app.ts';
import { buildCompany } from '../../demo/builders.ts';
import type { StaffCaller } from '../../platform/caller.ts';
import { createPageKey, pageOf } from '../../platform/lists.ts';
import { type AppointmentFilter, findPage, sortOf } from './find-appointments.ts';

const app = await startTestApp();
const { context } = app;
let caller: StaffCaller;
let anyPatientId: number;

type PageFilter = AppointmentFilter & { after?: string };

/** A node of EXPLAIN's JSON. Rows are averages of the loops. */
interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

/** One company with 3,000 appointments, in no order of time, beside 1,000 with 20 patients and one appointment each. */
beforeAll(async () => {
  const { companyId } = await buildCompany(context, { timeZone: 'UTC' });
  const owner = new pg.Client(app.database.owner);
  await owner.connect();
  await owner.query(`
    insert into companies (company_uid, company_name, time_zone, provider_count, expiration_date, created_at)
      select md5(n::text), 'Clinic ' || n, 'UTC', 1, '2099-12-31', now() from generate_series(1, 1000) n;
    insert into users (company_id, role_id, first_name, last_name, email, created_at)
      select company_id, 'D', 'Ann', 'Lee', company_id || '@plan.test', now() from companies;
    insert into patients (company_id, first_name, last_name, created_at)
      select company_id, 'Bo', 'Ek ' || n, now()
      from companies, generate_series(1, case when company_id = ${companyId} then 3000 else 20 end) n;
    insert into appointments
      (company_id, appointment_uid, patient_id, doctor_id, starts_at, ends_at, code_hash, code_cipher, created_at)
      select company_id, md5(patient_id::text), patient_id, user_id, at, at + interval '10 minutes',
        sha256(patient_id::text::bytea), '', now()
      from patients join users using (company_id),
        lateral (select timestamptz '2031-01-01Z' + (patient_id * 7919 % 3000) * interval '10 minutes' as at) as start
      where company_id = ${companyId} or patients.last_name = 'Ek 1';
    insert into visits (appointment_id, company_id, patient_id, doctor_id)
      select appointment_id, company_id, patient_id, doctor_id from appointments;
    insert into ledger (company_id, appointment_id, patient_id, kind, amount, occurred_at)
      select company_id, appointment_id, patient_id, 'manual', 1, now() from appointments`);
  // Vacuumed, a table can be read from an index alone.
  await owner.query('vacuum analyze');
  const { rows } = await owner.query<{ id: number }>(
    'select max(patient_id)::int as id from patients where company_id = $1',
    [companyId],
  );
  anyPatientId = rows[0]?.id ?? 0;
  await owner.end();
  const person = { signInId: 1, serial: '', userId: 1, firstName: '', lastName: '' };
  caller = {
    kind: 'staff',
    role: 'A',
    companyId,
    timeZone: 'UTC',
    currency: 'USD',
    license: 'valid',
    secondFactor: 'settled',
    ...person,
  };
});

/**
 * Runs the query of a page with the plan that production uses. Returns how many rows it read from each table, and how many pages of tables
 * and indexes.
 */
async function runPage(filter: PageFilter): Promise<{ rows: Map<string, number>; blocks: number }> {
  const query = { top: 50, skip: 0, ...filter };
  const { keys, direction, casts } = sortOf(query);
  const plan = await context.db.open({ kind: 'company', companyId: caller.companyId }, async (tx) => {
    const page = findPage(tx, caller, query, pageOf(query, keys, direction, casts)).compile();
    const values = page.parameters.map((value) => pg.escapeLiteral(String(value))).join(', ');
    await sql.raw(`prepare page as ${page.sql}`).execute(tx);
    const { rows } = await sql
      .raw<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, buffers, format json) execute page(${values})`)
      .execute(tx);
    await sql.raw('deallocate page').execute(tx);
    return rows[0]?.['QUERY PLAN'][0].Plan;
  });
  const read = new Map<string, number>();
  const add = (node: PlanNode) => {
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    const table = node['Relation Name'];
    if (table) read.set(table, (read.get(table) ?? 0) + rows);
    node.Plans?.forEach(add);
  };
  if (plan) add(plan);
  return { rows: read, blocks: (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0) };
}

test.each([
  ['first page', {}],
  ['last page', { orderBy: 'startDate desc' }],
  ['page after a key', { after: createPageKey(['2031-01-15T00:00:00.000Z', 1]) }],
  ['page of a day', { startDate: '2031-01-15' }],
])('%s of a large company: reads the rows of the page, not all appointments', async (_name, filter) => {
  await expectRowsRead(filter, 50);
});

test('page of a patient of a large company: reads the appointments of the patient', async () => {
  await expectRowsRead({ patientId: anyPatientId }, 1);
});

async function expectRowsRead(filter: PageFilter, rows: number): Promise<void> {
  const { rows: read, blocks } = await runPage(filter);
  for (const table of ['appointments', 'patients', 'visits']) {
    expect([table, read.get(table)]).toEqual([table, rows]);
  }
  // An index that does not begin with what is looked up is read from end to end for each row.
  expect(blocks).toBeLessThan(15 * rows + 20);
}
