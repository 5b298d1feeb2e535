import { listCompanies } from '@roomside/contract/companies/calls.ts';
import { listUsers } from '@roomside/contract/users/calls.ts';
import pg from 'pg';
import type { App } from '../server/src/app.ts';
import { buildUser } from '../server/src/demo/builders.ts';
import { withBenchApp } from './support/app.ts';
import type { BenchCluster } from './support/cluster.ts';
import { compare, type Shot } from './support/load.ts';
import { buildClinic, password, readAs } from './support/pages.ts';
import { startServer } from './support/processes.ts';
import { signIn } from './support/requests.ts';

const pageSize = 50;
/** The page by key that is compared beside the first one. */
const farPage = 800;

/**
 * Compares the lists of `count` users of a company and of `count` companies with support/reference.ts, which runs the same statements:
 * the first page and page 800, in the order that the pages open with.
 */
export const administrationPages = (count = 100_000): Promise<Record<string, number>> =>
  withBenchApp((cluster, app) => measure(cluster, app, count));

async function measure(cluster: BenchCluster, app: App, count: number): Promise<Record<string, number>> {
  const { companyId, email } = await buildClinic(app);
  const installation = await buildUser(app.context, { companyId: null, password });
  await fillAdministration(cluster, companyId, count);
  const [ours, reference] = [
    await startServer('ours', cluster, companyId),
    await startServer('reference', cluster, companyId),
  ];
  try {
    const users = await compareList('users', listUsers, email);
    return { rows: count, ...users, ...(await compareList('companies', listCompanies, installation.email)) };
  } finally {
    await ours.stop();
    await reference.stop();
  }

  async function compareList(
    name: 'users' | 'companies',
    call: typeof listUsers | typeof listCompanies,
    email: string,
  ): Promise<Record<string, number>> {
    const { accessToken } = await signIn(ours.port, { email, password });
    const headers = { authorization: `Bearer ${accessToken}` };
    const at = (port: number, path: string, query: Record<string, string>): Shot => ({
      port,
      method: 'GET',
      headers,
      path: `${path}?${new URLSearchParams(query)}`,
    });
    const first = { top: String(pageSize), skip: '0', total: '1' };
    const read = await readAs(ours.port, { email });
    const before = await read(call, { ...first, skip: String((farPage - 2) * pageSize) });
    const { last = '' } = JSON.parse(before.text) as { last?: string };
    const figures: Record<string, number> = {};
    for (const [label, query] of Object.entries({ '': first, [`Page${farPage}`]: { ...first, after: last } })) {
      const { p50, throughput, p50Ms } = await compare(
        at(ours.port, call.path, query),
        at(reference.port, `/${name}`, query),
        100,
      );
      Object.assign(figures, {
        [`${name}${label}P50`]: p50,
        [`${name}${label}Throughput`]: throughput,
        [`${name}${label}P50Ms`]: p50Ms,
      });
    }
    return figures;
  }
}

/** Adds users to a company, and companies. */
export async function fillAdministration({ owner }: BenchCluster, companyId: number, count: number): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    await client.query(`
      insert into users (company_id, role_id, first_name, last_name, email, search, created_at)
        select ${companyId}, case n % 3 when 0 then 'A' when 1 then 'D' else 'U' end, 'Other' || n, 'Name' || (n * 7919 % ${count}),
          'user' || (n * 31 % ${count}) || '-' || n || '@bench.test', 'other' || n, now() - n * interval '1 minute'
        from generate_series(1, ${count}) n;
      insert into companies (company_uid, company_name, time_zone, provider_count, expiration_date, created_at)
        select md5('company ' || n), 'Clinic ' || (n * 7919 % ${count}), 'UTC', n % 100, date '2030-01-01' + n % 1000, now() - n * interval '1 minute'
        from generate_series(1, ${count}) n;`);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}
