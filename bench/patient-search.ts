import { listPatients } from '@roomside/contract/patients/calls.ts';
import pg from 'pg';
import type { App } from '../server/src/app.ts';
import { likePattern } from '../server/src/platform/lists.ts';
import { withBenchApp } from './support/app.ts';
import type { BenchCluster } from './support/cluster.ts';
import { median, round } from './support/load.ts';
import { buildClinic, medianOf, readAs } from './support/pages.ts';

const alternations = 15;
const requests = 15;
/** Matches that a search reads at most, as the list of patients does. */
const maxFound = 10_000;

const firstNames = ['Ann', 'Ben', 'Carla', 'David', 'Elena', 'Frank', 'Grace', 'Hassan', 'Ingrid', 'Jorge'];
/** Two of these make a last name. */
const syllables = ['ander', 'berg', 'carter', 'dal', 'ellis', 'ford', 'green', 'holm', 'kowal', 'lopez'];

/**
 * Searches among `count` patients of one company. Compares the search as the application's role under row-level security with the same
 * `like` by the owner of the table, and measures the page of the list over HTTP, in ms.
 */
export const patientSearch = (count = 1_000_000): Promise<Record<string, number>> =>
  withBenchApp((cluster, app) => measure(cluster, app, count));

async function measure(cluster: BenchCluster, app: App, count: number): Promise<Record<string, number>> {
  const { companyId, email } = await buildClinic(app);
  await fillPatients(cluster, companyId, count);
  const read = await readAs(await app.listen('127.0.0.1', 0), { email });
  const [owner, client] = [new pg.Client(cluster.owner), new pg.Client(cluster.application)];
  await owner.connect();
  await client.connect();
  try {
    await client.query(`select set_config('app.kind', 'company', false), set_config('app.company', $1, false)`, [
      String(companyId),
    ]);
    const { rows } = await owner.query<{ first_name: string; last_name: string; email: string }>(
      'select first_name, last_name, email from patients where company_id = $1 and email like $2',
      [companyId, `%${Math.floor(count / 2)}@%`],
    );
    const [patient] = rows;
    if (!patient) throw new Error('The patient that is searched for is absent.');
    const searches = {
      email: patient.email,
      phone: String(2_000_000_000 + Math.floor(count / 2)),
      name: `${patient.first_name} ${patient.last_name}`,
      lastName: patient.last_name,
      partOfName: 'kowal',
      twoLetters: 'an',
      absent: 'zzyzx',
    };
    const figures: Record<string, number> = { rows: count };
    for (const [name, words] of Object.entries(searches)) {
      const pattern = likePattern(words);
      const ours = () => search(client, 'select find_patients($1, $2)', [pattern, maxFound]);
      const alone = () =>
        search(owner, 'select patient_id from patients where archived_at is null and search like $1 limit $2', [
          pattern,
          maxFound,
        ]);
      const { ratio, ms, found } = await alternate(ours, alone);
      process.stdout.write(`${name}: ${found} found, ${ms} ms, ${ratio} times the query alone\n`);
      Object.assign(figures, { [name]: ratio, [`${name}Ms`]: ms });
      figures[`${name}PageMs`] = await medianOf(`${name}, page of the list`, requests, () =>
        read(listPatients, { top: '50', skip: '0', total: '1', filter: words }),
      );
    }
    return figures;
  } finally {
    await owner.end();
    await client.end();
  }
}

interface Search {
  readonly ms: number;
  readonly found: number;
}

async function search(client: pg.Client, text: string, values: readonly unknown[]): Promise<Search> {
  const start = performance.now();
  const { rowCount } = await client.query(text, [...values]);
  return { ms: performance.now() - start, found: rowCount ?? 0 };
}

/** The median ratio of two searches in turns. Both must find the same number. */
async function alternate(ours: () => Promise<Search>, alone: () => Promise<Search>) {
  const [first, other] = [await ours(), await alone()];
  if (first.found !== other.found) throw new Error(`${first.found} found instead of ${other.found}.`);
  const [ratios, times]: [number[], number[]] = [[], []];
  for (let i = 0; i < alternations; i += 1) {
    const { ms } = await ours();
    ratios.push(ms / (await alone()).ms);
    times.push(ms);
  }
  return { ratio: round(median(ratios)), ms: round(median(times)), found: first.found };
}

/** Adds patients with an email and a phone each; tens of them share a last name. */
async function fillPatients({ owner }: BenchCluster, companyId: number, count: number): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    await client.query(
      `insert into patients (company_id, first_name, last_name, birth_date, email, search, created_at)
         select $1::bigint, first, initcap(last), date '1930-01-01' + n % 30000, email,
           lower(concat_ws(' ', first, last, first, email, 2000000000 + n)), now() - n * interval '1 minute'
         from generate_series(1, $2::int) n,
           lateral (select ($3::text[])[1 + n % 10] as first,
             ($4::text[])[1 + n / 7 % 10] || ($4::text[])[1 + n / 11 % 10] || 'n' || chr(97 + n / 13 % 26) || chr(97 + n / 17 % 26) as last,
             'patient' || n || '@bench.test' as email) as made`,
      [companyId, count, firstNames, syllables],
    );
    await client.query('vacuum analyze patients');
  } finally {
    await client.end();
  }
}
