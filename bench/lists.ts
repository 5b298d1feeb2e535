import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import type { Call } from '@roomside/contract/call.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import pg from 'pg';
import type { App } from '../server/src/app.ts';
import { buildCompany, buildUser } from '../server/src/demo/builders.ts';
import { buildBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments, startBenchCluster } from './support/cluster.ts';
import { median, round } from './support/load.ts';

const password = 'bench-password-2026';
const requests = 9;

/** The columns of each list. */
const lists = {
  appointments: { call: listAppointments, columns: ['startDate', 'patient', 'doctor', 'duration', 'collected'] },
  patients: {
    call: listPatients,
    columns: ['lastName', 'firstName', 'doB', 'created', 'lastAppointment', 'nextAppointment'],
  },
} as const;

/**
 * Measures the first page of the lists of appointments and patients by each column in both directions, without the total, in one company
 * with `count` appointments and as many patients: median in ms.
 */
export async function listPages(count = 100_000): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  try {
    const app = await buildBenchApp(cluster.application);
    try {
      return await measure(cluster, app, count);
    } finally {
      await app.close();
    }
  } finally {
    await cluster.stop();
  }
}

async function measure(cluster: BenchCluster, app: App, count: number): Promise<Record<string, number>> {
  const { companyId } = await buildCompany(app.context, { timeZone: 'UTC' });
  const { email } = await buildUser(app.context, { companyId, role: 'A', password });
  await fillAppointments(cluster, companyId, count);
  await fillRecords(cluster, companyId, count);
  const url = `http://127.0.0.1:${await app.listen('127.0.0.1', 0)}`;
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: false, user: { email, password } }),
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  const read = async (call: Call, orderBy: string) => {
    const start = performance.now();
    const query = new URLSearchParams({ top: '50', skip: '0', total: '1', orderBy });
    const page = await fetch(`${url}${call.path}?${query}`, { headers: { authorization: `Bearer ${accessToken}` } });
    const text = await page.text();
    if (!page.ok) throw new Error(text);
    return performance.now() - start;
  };
  const figures: Record<string, number> = { rows: count };
  for (const [name, { call, columns }] of Object.entries(lists)) {
    for (const column of columns) {
      for (const direction of ['asc', 'desc']) {
        const times: number[] = [];
        for (let i = 0; i < requests; i += 1) times.push(await read(call, `${column} ${direction}`));
        figures[`${name} ${column} ${direction}`] = round(median(times));
        process.stdout.write(`${name} by ${column} ${direction}: ${round(median(times))} ms\n`);
      }
    }
  }
  return {
    ...figures,
    slowestMs: Math.max(...Object.entries(figures).map(([name, ms]) => (name === 'rows' ? 0 : ms))),
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
