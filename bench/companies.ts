import pg from 'pg';
import { buildCompany, buildUser } from '../server/src/demo/builders.ts';
import { buildBenchApp } from './support/app.ts';
import { type BenchCluster, fillAppointments, fillCompanies, startBenchCluster } from './support/cluster.ts';
import { fire, measure, median, type Round, round, type Shot } from './support/load.ts';
import { type Server, startServer } from './support/processes.ts';
import { moves, requestsToApplication, signIn } from './support/requests.ts';

const password = 'bench-password-2026';
/** Appointments of the measured company, in both databases. */
const ownAppointments = 10_000;
/** How many of the other companies send requests, and how many requests they send together per second. */
const workingCompanies = 20;
const requestsPerSecond = 20;
const alternations = 5;
const slotsDate = '2050-06-01';

interface Place {
  readonly cluster: BenchCluster;
  readonly server: Server;
  readonly shots: Readonly<Record<string, Shot>>;
  readonly others: readonly Shot[];
}

/**
 * Measures list, count, save and slots of one company of 10,000 appointments beside `count` - 1 other companies in its
 * database, 20 of which send 20 requests a second, compared with the same company alone in a database: ratios of p50 and
 * throughput, medians of five alternations.
 */
export async function companies(count = 10_000): Promise<Record<string, number>> {
  const alone = await startPlace(0);
  const beside = await startPlace(count - 1);
  try {
    const figures: Record<string, number> = { companies: count };
    for (const [name, shot] of Object.entries(alone.shots)) {
      const other = beside.shots[name];
      if (!other) throw new Error(`There is no request ${name}.`);
      const samples = name === 'save' ? 40 : 100;
      await measure(shot, samples / 4);
      await measure(other, samples / 4);
      const rounds: { alone: Round; beside: Round }[] = [];
      for (let turn = 0; turn < alternations; turn += 1) {
        rounds.push({ alone: await measure(shot, samples), beside: await measureBesideWork(beside, other, samples) });
      }
      figures[`${name}P50`] = round(median(rounds.map((one) => one.beside.p50 / one.alone.p50)));
      figures[`${name}Throughput`] = round(median(rounds.map((one) => one.beside.perSecond / one.alone.perSecond)));
      process.stdout.write(`${name}: ${figures[`${name}P50`]}x, throughput ${figures[`${name}Throughput`]}x\n`);
    }
    return figures;
  } finally {
    for (const { server, cluster } of [alone, beside]) {
      await server.stop();
      await cluster.stop();
    }
  }
}

/** Measures while the other companies work. */
async function measureBesideWork({ others }: Place, shot: Shot, count: number): Promise<Round> {
  let sent = 0;
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const timer = setInterval(() => {
    const next = others[sent % others.length];
    sent += 1;
    if (!next) return;
    const request: Promise<void> = fire(next)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(request));
    running.add(request);
  }, 1000 / requestsPerSecond);
  const result = await measure(shot, count);
  clearInterval(timer);
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return result;
}

/** Starts a database with the measured company and `otherCount` others, and a server. */
async function startPlace(otherCount: number): Promise<Place> {
  const cluster = await startBenchCluster();
  const app = await buildBenchApp(cluster.application);
  const { companyId } = await buildCompany(app.context, { timeZone: 'UTC' });
  const { email } = await buildUser(app.context, { companyId, role: 'A', password });
  await fillAppointments(cluster, companyId, ownAppointments);
  const otherIds = await fillCompanies(cluster, otherCount);
  const working = otherIds.slice(0, workingCompanies);
  const users = [];
  for (const id of working) users.push(await buildUser(app.context, { companyId: id, role: 'A', password }));
  await app.close();

  const server = await startServer('ours', cluster, companyId, { TRUST_PROXY: '1' });
  const at = requestsToApplication(server.port, await signIn(server.port, { email, password }));
  const others: Shot[] = [];
  for (const [index, user] of users.entries()) {
    const own = requestsToApplication(
      server.port,
      await signIn(server.port, { ...user, password }, `192.0.2.${index}`),
    );
    const doctorId = await firstProvider(cluster, user.companyId ?? 0);
    const next = await moves(cluster, user.companyId ?? 0);
    others.push(own.list(), own.count(), own.slots(doctorId, slotsDate), own.save(next));
  }
  const shots = {
    list: at.list(),
    count: at.count(),
    slots: at.slots(await firstProvider(cluster, companyId), slotsDate),
    save: at.save(await moves(cluster, companyId)),
  };
  return { cluster, server, shots, others };
}

async function firstProvider(cluster: BenchCluster, companyId: number): Promise<number> {
  const client = new pg.Client(cluster.owner);
  await client.connect();
  const { rows } = await client.query<{ id: number }>(
    `select min(user_id)::int as id from users where company_id = $1 and role_id = 'D'`,
    [companyId],
  );
  await client.end();
  return rows[0]?.id ?? 0;
}
