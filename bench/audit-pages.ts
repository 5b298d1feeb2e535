import { downloadAuditLog, listAuditLog } from '@roomside/contract/audit/calls.ts';
import pg from 'pg';
import type { App } from '../server/src/app.ts';
import { withBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments } from './support/cluster.ts';
import { buildClinic, medianOf, readAs } from './support/pages.ts';

const requests = 15;

/**
 * Measures pages of the audit log with `count` rows of one year in one company, a fiftieth of them lists of 50 appointments: the first
 * page by each filter with its total, a page in the middle, and the download; medians in ms.
 */
export const auditPages = (count = 1_000_000): Promise<Record<string, number>> =>
  withBenchApp((cluster, app) => measure(cluster, app, count));

async function measure(cluster: BenchCluster, app: App, count: number): Promise<Record<string, number>> {
  const { companyId, email, userId } = await buildClinic(app);
  await fillAppointments(cluster, companyId, 20_000);
  const patientId = await fillLog(cluster, companyId, userId, count);
  const read = await readAs(await app.listen('127.0.0.1', 0), { email });
  const page = { top: '50', skip: '0' };
  const middle = JSON.parse((await read(listAuditLog, { ...page, to: '2026-06-30' })).text) as { last: string };
  const asked: Record<string, Record<string, string>> = {
    all: page,
    middle: { ...page, total: '1', after: middle.last },
    person: { ...page, personId: String(userId) },
    patient: { ...page, patientId: String(patientId) },
    patientViewed: { ...page, patientId: String(patientId), kind: 'viewed' },
    days: { ...page, from: '2026-03-01', to: '2026-03-31' },
    viewed: { ...page, kind: 'viewed' },
    changed: { ...page, kind: 'changed' },
    signed: { ...page, kind: 'signed' },
    refused: { ...page, kind: 'refused' },
  };
  const figures: Record<string, number> = { rows: count };
  for (const [name, query] of Object.entries(asked))
    figures[`${name}Ms`] = await medianOf(name, requests, () => read(listAuditLog, query));
  figures['downloadMs'] = await medianOf('download', 1, () => read(downloadAuditLog, {}));
  return figures;
}

/** Fills the log, and returns a patient with rows. */
async function fillLog({ owner }: BenchCluster, companyId: number, userId: number, count: number): Promise<number> {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    await client.query(`select create_audit_partitions('2026-01-01', 12)`);
    const { rows } = await client.query<{ first: number; n: number; patient: number }>(
      `select min(appointment_id)::int as first, count(*)::int as n, min(patient_id)::int as patient from appointments where company_id = $1`,
      [companyId],
    );
    const [{ first, patient }] = rows as [{ first: number; n: number; patient: number }];
    await client.query(
      `insert into audit_log (company_id, occurred_at, actor, action, path, objects, address, request_id)
       select $1::bigint, '2026-01-01'::timestamptz + n * (interval '300 days' / $5::bigint),
         case when n % 40 = 0 then 'A_' || $2::bigint else 'D_' || 5000000 + n % 39 end,
         case when n % 50 = 0 then 'listAppointments' when n % 60 = 1 then 'login' when n % 3 = 0 then 'saveAppointment' else 'getPatient' end,
         '/api', case when n % 50 = 0 then jsonb_build_object('appointments', array(select $3::bigint + (n / 50 * 37 + i) % 20000 from generate_series(1, 50) i))
           when n % 2000 = 7 then jsonb_build_object('patientId', $4::bigint + n % 20000, 'refused', 'not-found')
           else jsonb_build_object('patientId', $4::bigint + n % 20000) end,
         '203.0.113.' || n % 255, md5(n::text)
       from generate_series(1, $5::bigint) n`,
      [companyId, userId, first, patient, count],
    );
    // The sealer leaves these rows out: sealing a million rows would be measured, too.
    await client.query('update audit_sealer set sealed_to = pg_current_xact_id()');
    await client.query('vacuum analyze audit_log');
    return patient;
  } finally {
    await client.end();
  }
}
