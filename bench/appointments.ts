import pg from 'pg';
import { buildCompany, buildUser } from '../server/src/demo/builders.ts';
import { type RoundTripCounter, startRoundTripCounter } from '../server/test/round-trips.ts';
import { buildBenchApp } from './support/app.ts';
import { fillAppointments, startBenchCluster } from './support/cluster.ts';
import { compare, fire, median, round, type Shot } from './support/load.ts';
import { startServer } from './support/processes.ts';
import { type Move, moves, requestsToApplication, type SignedIn, signIn } from './support/requests.ts';

const password = 'bench-password-2026';

/**
 * Measures with 1,000,000 appointments: a list of 50, the arrived count and a save, each compared with support/reference.ts; page 800 of
 * the list compared with page 1; the growth of the list's time from 10,000 to 1,000,000 rows; and the number of database round trips of
 * the three requests. `count` may be lowered for a quick run; the result contains it.
 */
export async function appointments(count = 1_000_000): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  try {
    const people = await buildPeople();
    const small = await run(people.small, 10_000, { list: true });
    const large = await run(people.large, count, { list: true, others: true });
    return { rows: count, ...large, listGrowth: round((large['listP50Ms'] ?? 0) / (small['listP50Ms'] ?? 1)) };
  } finally {
    await cluster.stop();
  }

  /** Creates one company for each size, with an administrator. */
  async function buildPeople() {
    const app = await buildBenchApp(cluster.application);
    const make = async () => {
      const { companyId } = await buildCompany(app.context, { timeZone: 'UTC' });
      const { email } = await buildUser(app.context, { companyId, role: 'A', password });
      return { companyId, email };
    };
    const made = { small: await make(), large: await make() };
    await app.close();
    return made;
  }

  async function run(
    { companyId, email }: { companyId: number; email: string },
    rows: number,
    what: { list: true; others?: true },
  ) {
    await fillAppointments(cluster, companyId, rows);
    const ours = await startServer('ours', cluster, companyId);
    const reference = await startServer('reference', cluster, companyId);
    try {
      const signedIn = await signIn(ours.port, { email, password });
      const at = {
        ours: requestsToApplication(ours.port, signedIn),
        reference: requestsToReference(reference.port, signedIn),
      };
      const list = await compare(at.ours.list(), at.reference.list(), 150);
      const figures: Record<string, number> = {
        listP50: list.p50,
        listThroughput: list.throughput,
        listP50Ms: list.p50Ms,
      };
      if (!what.others) return figures;
      const lastPage = Math.min(800, Math.floor(rows / 50));
      const far = await compare(at.ours.list(await pageNumber(companyId, lastPage)), at.ours.list(), 100);
      const counted = await compare(at.ours.count(), at.reference.count(), 200);
      const next = await moves(cluster, companyId);
      const saved = await compare(at.ours.save(next), at.reference.save(next), 60, 5);
      return {
        ...figures,
        page800P50: far.p50,
        arrivedP50: counted.p50,
        arrivedThroughput: counted.throughput,
        saveP50: saved.p50,
        saveThroughput: saved.throughput,
        ...(await roundTrips(companyId, signedIn, next)),
      };
    } finally {
      await ours.stop();
      await reference.stop();
    }
  }

  /** Returns the number of database round trips of each request, measured with a counting proxy. */
  async function roundTrips(companyId: number, signedIn: SignedIn, next: () => Move): Promise<Record<string, number>> {
    const trips: Record<string, number> = {};
    for (const kind of ['ours', 'reference'] as const) {
      const counter = await startRoundTripCounter(cluster.application);
      const server = await startServer(kind, { ...cluster, application: counter.connection }, companyId);
      const at =
        kind === 'ours' ? requestsToApplication(server.port, signedIn) : requestsToReference(server.port, signedIn);
      // The reference's list does not use the counting proxy.
      if (kind === 'ours') trips['listRoundTrips'] = await roundTripsOf(counter, at.list());
      trips[kind === 'ours' ? 'arrivedRoundTrips' : 'arrivedRoundTripsReference'] = await roundTripsOf(
        counter,
        at.count(),
      );
      trips[kind === 'ours' ? 'saveRoundTrips' : 'saveRoundTripsReference'] = await roundTripsOf(
        counter,
        at.save(next),
      );
      await server.stop();
      counter.stop();
    }
    return trips;
  }

  /** Returns the URL of a page, with the key of the row before it. */
  async function pageNumber(companyId: number, page: number): Promise<string> {
    const client = new pg.Client(cluster.owner);
    await client.connect();
    const skip = (page - 1) * 50;
    const { rows } = await client.query<{ starts_at: Date; id: number }>(
      `select starts_at, appointment_id::int as id from appointments where company_id = $1
       order by starts_at, appointment_id offset $2 limit 1`,
      [companyId, skip - 1],
    );
    await client.end();
    const key = Buffer.from(JSON.stringify([rows[0]?.starts_at.toISOString(), rows[0]?.id])).toString('base64url');
    return `/api/appointments?top=50&skip=${skip}&total=1&after=${key}`;
  }
}

/**
 * Returns the median number of round trips of one request, including the commit, over sequential requests, so that the server's
 * background work does not count. The first requests prepare their statements.
 */
async function roundTripsOf(counter: RoundTripCounter, shot: Shot, requests = 41): Promise<number> {
  for (let i = 0; i < requests; i += 1) await fire(shot);
  const trips: number[] = [];
  for (let i = 0; i < requests; i += 1) {
    const before = counter.count();
    await fire(shot);
    trips.push(counter.count() - before);
  }
  return median(trips);
}

/** Returns the same requests to the reference, which takes the sign-in's id without a token. */
function requestsToReference(port: number, { signInId }: SignedIn) {
  const headers = { 'x-sign-in': String(signInId) };
  return {
    list: (): Shot => ({ port, method: 'GET', path: '/list', headers }),
    count: (): Shot => ({ port, method: 'GET', path: '/count', headers }),
    save: (next: () => Move): Shot => ({
      port,
      method: 'POST',
      path: '/save',
      headers,
      body: () => JSON.stringify(next()),
    }),
  };
}
