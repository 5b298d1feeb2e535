import pg from 'pg';
import { pino } from 'pino';
import { buildApp } from '../server/src/app.ts';
import { buildCompany, buildUser } from '../server/src/demo/builders.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import { readSettings } from '../server/src/platform/settings.ts';
import { fillAppointments, startBenchCluster } from './support/cluster.ts';
import { compare, round, type Shot } from './support/load.ts';
import { startServer } from './support/processes.ts';

const password = 'bench-password-2026';

/**
 * Rows 1 to 4 of the quality figures among 1,000,000 appointments: a list of 50, the arrived count and a save, each against
 * the same SQL by prepared statements on bare node:http; the list's page 800 against its first; and how the list grows from
 * 10,000 to 1,000,000.
 * `count` may be lowered for a quick look; the figures then say so.
 */
export async function appointments(count = 1_000_000): Promise<Record<string, number>> {
  const cluster = await startBenchCluster();
  try {
    const people = await makePeople();
    const small = await run(people.small, 10_000, { list: true });
    const large = await run(people.large, count, { list: true, others: true });
    return { rows: count, ...large, listGrowth: round((large['listP50Ms'] ?? 0) / (small['listP50Ms'] ?? 1)) };
  } finally {
    await cluster.stop();
  }

  /** One company of each size, with an administrator, made by the application itself. */
  async function makePeople() {
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
      const authorization = `Bearer ${await signIn(ours.port, email)}`;
      const at = (path: string): Shot => ({ port: ours.port, method: 'GET', path, headers: { authorization } });
      const list = await compare(
        at('/api/appointments?top=50&skip=0&total=1'),
        { port: reference.port, method: 'GET', path: '/list' },
        150,
      );
      const figures: Record<string, number> = {
        listP50: list.p50,
        listThroughput: list.throughput,
        listP50Ms: list.p50Ms,
      };
      if (!what.others) return figures;
      const far = await compare(
        at(await pageNumber(companyId, 800)),
        at('/api/appointments?top=50&skip=0&total=1'),
        100,
      );
      const counted = await compare(
        at('/api/waiting-room/count'),
        { port: reference.port, method: 'GET', path: '/count' },
        200,
      );
      const saved = await compareSave(ours.port, reference.port, authorization, companyId);
      return {
        ...figures,
        page800P50: far.p50,
        arrivedP50: counted.p50,
        arrivedThroughput: counted.throughput,
        saveP50: saved.p50,
        saveThroughput: saved.throughput,
      };
    } finally {
      await ours.stop();
      await reference.stop();
    }
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

  /** Moves appointments of different providers to free times far in the future: overlap guard, audit and version included. */
  async function compareSave(ours: number, reference: number, authorization: string, companyId: number) {
    const client = new pg.Client(cluster.owner);
    await client.connect();
    const { rows } = await client.query<{ id: number; doctor: number; patient: number }>(
      `select appointment_id::int as id, doctor_id::int as doctor, patient_id::int as patient from appointments
       where company_id = $1 order by md5(appointment_id::text) limit 20000`,
      [companyId],
    );
    await client.end();
    let turn = 0;
    const next = () => {
      const row = rows[turn % rows.length] ?? { id: 0, doctor: 0, patient: 0 };
      const start = Date.UTC(2060, 0, 1) + turn * 900_000;
      turn += 1;
      return { ...row, startDate: new Date(start).toISOString(), endDate: new Date(start + 900_000).toISOString() };
    };
    const ourBody = () => {
      const { id, doctor, patient, startDate } = next();
      return JSON.stringify({
        appointmentId: id,
        version: 0,
        startDate,
        doctorId: doctor,
        patientId: patient,
        cancelled: false,
        cancellationNotes: '',
        externalId: '',
        welcomeMessage: '',
      });
    };
    const theirBody = () => {
      const { id, startDate, endDate } = next();
      return JSON.stringify({ appointmentId: id, startDate, endDate });
    };
    return compare(
      { port: ours, method: 'POST', path: '/api/appointments', headers: { authorization }, body: ourBody },
      { port: reference, method: 'POST', path: '/save', body: theirBody },
      60,
      5,
    );
  }
}

async function signIn(port: number, email: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isPatient: false, user: { email, password } }),
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  return accessToken;
}
