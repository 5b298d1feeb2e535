import pg from 'pg';
import { pino } from 'pino';
import { buildApp } from '../server/src/app.ts';
import { buildCompany, buildUser } from '../server/src/demo/builders.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { readSettings } from '../server/src/platform/settings.ts';
import { type RoundTripCounter, startRoundTripCounter } from '../server/test/round-trips.ts';
import { fillAppointments, startBenchCluster } from './support/cluster.ts';
import { compare, fire, median, round, type Shot } from './support/load.ts';
import { startServer } from './support/processes.ts';

const password = 'bench-password-2026';

/**
 * Rows 1 to 4 of the quality figures among 1,000,000 appointments: a list of 50, the arrived count and a save, each against
 * what support/reference.ts does by hand; the list's page 800 against its first; how the list grows from 10,000 to
 * 1,000,000; and how many round trips to the database each of the three takes.
 * `count` may be lowered for a quick look; the figures then say so.
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

  /** One company of each size, with an administrator, made by the application itself. */
  async function buildPeople() {
    const app = await buildApp({
      settings: readSettings({ DRAIN_SECONDS: '0' }),
      publicUrl: 'http://localhost',
      demo: false,
      secret: 'bench-secret-bench-secret-bench-secret',
      database: cluster.application,
      clock: systemClock,
      log: pino({ level: 'silent' }),
    });
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
      const signedIn = await signIn(ours.port, email);
      const at = { ours: shotsOfOurs(ours.port, signedIn), reference: shotsOfReference(reference.port, signedIn) };
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
      const next = await moves(companyId);
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

  /** Round trips to the database of one request, by servers that reach it through a counter. */
  async function roundTrips(companyId: number, signedIn: SignedIn, next: () => Move): Promise<Record<string, number>> {
    const trips: Record<string, number> = {};
    for (const kind of ['ours', 'reference'] as const) {
      const counter = await startRoundTripCounter(cluster.application);
      const server = await startServer(kind, { ...cluster, application: counter.connection }, companyId);
      const at = kind === 'ours' ? shotsOfOurs(server.port, signedIn) : shotsOfReference(server.port, signedIn);
      // The reference's list does not go through the counter.
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

  /** The address of a page as the list's next links lead to it: by the key of the row before it. */
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

  /** Moves of appointments of different providers, each to another free time far in the future. */
  async function moves(companyId: number): Promise<() => Move> {
    const client = new pg.Client(cluster.owner);
    await client.connect();
    const { rows } = await client.query<{ id: number; doctor: number; patient: number }>(
      `select appointment_id::int as id, doctor_id::int as doctor, patient_id::int as patient from appointments
       where company_id = $1 order by md5(appointment_id::text) limit 20000`,
      [companyId],
    );
    await client.end();
    let turn = 0;
    return () => {
      const row = rows[turn];
      if (!row) throw new Error('All appointments were moved once: take a higher COUNT.');
      const startDate = new Date(Date.UTC(2060, 0, 1) + turn * 900_000).toISOString();
      turn += 1;
      return { appointmentId: row.id, version: 0, startDate, doctorId: row.doctor, patientId: row.patient };
    };
  }
}

/**
 * How many round trips one such request takes, commit included: the middle one of some requests one after another, so
 * that the server's own work beside them does not count. The first ones prepare their statements.
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

interface Move {
  appointmentId: number;
  version: number;
  startDate: string;
  doctorId: number;
  patientId: number;
}

interface SignedIn {
  readonly accessToken: string;
  readonly signInId: number;
}

/** The three requests to the application. */
function shotsOfOurs(port: number, { accessToken }: SignedIn) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const rest = { cancelled: false, cancellationNotes: '', externalId: '', welcomeMessage: '' };
  const get = (path: string): Shot => ({ port, method: 'GET', path, headers });
  return {
    list: (path = '/api/appointments?top=50&skip=0&total=1') => get(path),
    count: () => get('/api/waiting-room/count'),
    save: (next: () => Move): Shot => ({
      ...{ port, method: 'POST', path: '/api/appointments', headers },
      body: () => JSON.stringify({ ...next(), ...rest }),
    }),
  };
}

/** The same of the reference, which takes the sign-in's id as it is. */
function shotsOfReference(port: number, { signInId }: SignedIn) {
  const headers = { 'x-sign-in': String(signInId) };
  return {
    list: (): Shot => ({ port, method: 'GET', path: '/list', headers }),
    count: (): Shot => ({ port, method: 'GET', path: '/count', headers }),
    save: (next: () => Move): Shot => ({
      ...{ port, method: 'POST', path: '/save', headers },
      body: () => JSON.stringify(next()),
    }),
  };
}

async function signIn(port: number, email: string): Promise<SignedIn> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: false, user: { email, password } }),
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  const [, claims = ''] = accessToken.split('.');
  const { sid } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sid: number };
  return { accessToken, signInId: sid };
}
