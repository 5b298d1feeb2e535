import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import type { Call } from '@roomside/contract/call.ts';
import { companyColumns, listCompanies } from '@roomside/contract/companies/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { listUsers, userColumns } from '@roomside/contract/users/calls.ts';
import pg from 'pg';
import type { App } from '../server/src/app.ts';
import { buildUser } from '../server/src/demo/builders.ts';
import { fillAdministration } from './administration.ts';
import { withBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments } from './support/cluster.ts';
import { buildClinic, medianOf, password, type Read, readAs } from './support/pages.ts';

const requests = 9;
const pageSize = 50;
/** The page by key that is measured beside the first one. */
const farPage = 800;

interface List {
  readonly name: string;
  readonly call: Call;
  readonly columns: readonly string[];
  readonly reader: 'of the appointments' | 'of the users' | 'Super';
}

const lists: readonly List[] = [
  {
    name: 'appointments',
    call: listAppointments,
    columns: ['startDate', 'patient', 'doctor', 'duration', 'collected'],
    reader: 'of the appointments',
  },
  {
    name: 'patients',
    call: listPatients,
    columns: ['lastName', 'firstName', 'doB', 'created', 'lastAppointment', 'nextAppointment'],
    reader: 'of the appointments',
  },
  {
    name: 'users',
    call: listUsers,
    columns: userColumns.filter((column) => column !== 'company'),
    reader: 'of the users',
  },
  { name: 'all users', call: listUsers, columns: userColumns, reader: 'Super' },
  { name: 'companies', call: listCompanies, columns: companyColumns, reader: 'Super' },
];

/**
 * Measures the first page and page 800 of the lists by each column in both directions, without the total, with `count` appointments and
 * patients in one company, users in another one, and companies: median in ms.
 */
export const listPages = (count = 100_000): Promise<Record<string, number>> =>
  withBenchApp((cluster, app) => measure(cluster, app, count));

async function measure(cluster: BenchCluster, app: App, count: number): Promise<Record<string, number>> {
  const { companyId, email } = await buildClinic(app);
  const installation = await buildUser(app.context, { companyId: null, password });
  await fillAppointments(cluster, companyId, count);
  const large = await buildClinic(app);
  await fillRecords(cluster, companyId, count);
  await fillAdministration(cluster, large.companyId, count);
  const port = await app.listen('127.0.0.1', 0);
  const readers = {
    'of the appointments': await readAs(port, { email }),
    'of the users': await readAs(port, large),
    Super: await readAs(port, installation),
  };
  const times: Record<string, number> = {};
  for (const { name, call, columns, reader } of lists) {
    for (const column of columns) {
      for (const direction of ['asc', 'desc']) {
        const label = `${name} ${column} ${direction}`;
        Object.assign(times, await measureOrder(readers[reader], label, call, `${column} ${direction}`));
      }
    }
  }
  return { rows: count, ...times, slowestMs: Math.max(...Object.values(times)) };
}

/** Measures the first page of an order, and a page far behind it by its key. */
async function measureOrder(read: Read, label: string, call: Call, orderBy: string): Promise<Record<string, number>> {
  const query = { top: String(pageSize), skip: '0', total: '1', orderBy };
  const before = await read(call, { ...query, skip: String((farPage - 2) * pageSize) });
  const { last } = JSON.parse(before.text) as { last?: string | null };
  return {
    [label]: await medianOf(label, requests, () => read(call, query)),
    ...(last && {
      [`${label} page ${farPage}`]: await medianOf(`${label} page ${farPage}`, requests, () =>
        read(call, { ...query, after: last }),
      ),
    }),
  };
}

/** Adds patients up to `count`, spreads the appointments over them, and adds visits and payments; a tenth of the appointments is upcoming. */
async function fillRecords({ owner }: BenchCluster, companyId: number, count: number): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    await client.query(`
      insert into patients (company_id, first_name, last_name, birth_date, search, created_at)
        select ${companyId}, 'Other' || n, 'Name' || (n * 7919 % ${count}), date '1930-01-01' + n % 30000, 'other' || n, now() - n * interval '1 minute'
        from generate_series(20001, ${count}) n;
      create temp table person as select patient_id, row_number() over () - 1 as no from patients;
      create temp table visit as select appointment_id, row_number() over () - 1 as no from appointments;
      update appointments a set patient_id = p.patient_id,
          starts_at = date_trunc('minute', now()) + (v.no - ${count} * 0.9) * interval '15 minutes',
          ends_at = date_trunc('minute', now()) + (v.no - ${count} * 0.9) * interval '15 minutes' + interval '15 minutes'
        from visit v join person p on p.no = v.no * 31 % ${count} where v.appointment_id = a.appointment_id;
      insert into visits (company_id, appointment_id, patient_id, doctor_id, duration)
        select company_id, appointment_id, patient_id, doctor_id, case when random() < 0.1 then 0 else 60 + floor(random() * 3000) end
        from appointments where starts_at < now();
      insert into ledger (company_id, appointment_id, patient_id, kind, amount, occurred_at)
        select company_id, appointment_id, patient_id, 'manual', floor(random() * 60), now() from appointments where starts_at < now();
      update appointments a set collected = l.amount from ledger l where l.appointment_id = a.appointment_id`);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}
